// Each device's list of its live objects; objects remove themselves.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace pygpu::host {

// `Object` derives from std::enable_shared_from_this; the roster keeps none of them alive.
template <class Object> class Roster {
public:
    // An object's part in it: leaves by itself. Its last member, so that it leaves before it falls apart.
    class Member {
    public:
        explicit Member(Object &object) : object_(object) {}
        ~Member() {
            if (roster_) roster_->remove(object_);
        }
        Member(const Member &) = delete;
        Member &operator=(const Member &) = delete;

        // Once, as soon as the object is held by a shared pointer.
        void enter(Roster &roster) {
            roster.add(object_);
            roster_ = &roster;
        }

    private:
        Object &object_;
        Roster *roster_ = nullptr;
    };

    // Calls body(object) for each, in a lock of the roster's: for what needs nothing and waits for nothing.
    template <class Body> void each(Body body) const {
        std::lock_guard lock(mutex_);
        for (Object *object : objects_) body(*object);
    }

    // Those of which body(object) is true.
    template <class Body> std::vector<std::shared_ptr<Object>> those(Body body) const {
        std::vector<std::shared_ptr<Object>> found;
        std::lock_guard lock(mutex_);
        for (Object *object : objects_) {
            if (!body(*object)) continue;
            // Nothing throws once a reference is taken: its release here would come back for the lock.
            if (found.capacity() == 0) found.reserve(objects_.size());
            if (std::shared_ptr<Object> held = object->weak_from_this().lock())
                found.push_back(std::move(held));
        }
        return found;
    }

private:
    void add(Object &object) {
        std::lock_guard lock(mutex_);
        objects_.insert(&object);
    }
    void remove(Object &object) {
        std::lock_guard lock(mutex_);
        objects_.erase(&object);
    }

    mutable std::mutex mutex_;
    std::set<Object *> objects_;
};

} // namespace pygpu::host
