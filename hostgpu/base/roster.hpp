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
    // An object's entry: its destructor removes the object from the roster. It has to be the object's last
    // member, so that it is destroyed first.
    class Member {
    public:
        explicit Member(Object &object) : object_(object) {}
        ~Member() {
            if (roster_) roster_->remove(object_);
        }
        Member(const Member &) = delete;
        Member &operator=(const Member &) = delete;

        // To be called once, as soon as a shared pointer holds the object.
        void enter(Roster &roster) {
            roster.add(object_);
            roster_ = &roster;
        }

    private:
        Object &object_;
        Roster *roster_ = nullptr;
    };

    // Calls body(object) for each object with the roster's lock held: the body must wait for nothing, and
    // neither make nor destroy objects.
    template <class Body> void each(Body body) const {
        std::lock_guard lock(mutex_);
        for (Object *object : objects_) body(*object);
    }

    // The objects for which body(object) is true.
    template <class Body> std::vector<std::shared_ptr<Object>> those(Body body) const {
        std::vector<std::shared_ptr<Object>> matches;
        std::lock_guard lock(mutex_);
        for (Object *object : objects_) {
            if (!body(*object)) continue;
            // Memory comes first: an exception after a reference was taken might release it here, and its
            // destructor would take the lock again.
            if (matches.capacity() == 0) matches.reserve(objects_.size());
            if (std::shared_ptr<Object> held = object->weak_from_this().lock())
                matches.push_back(std::move(held));
        }
        return matches;
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
