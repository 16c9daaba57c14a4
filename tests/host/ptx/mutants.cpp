// Damaged PTX: reads, decodes and runs mutants of the given files, and has to live. Several threads do so at
// the same time; each also launches kernels of the files as they are, which all threads have read once. Every
// other mutant runs with the checker.
//
//     mutants 10000 1 8 file.ptx …       mutants of each thread, a seed, and threads
//
// `make mutants` builds and runs it with sanitizers.
#include "common/ptx/lexer.hpp"
#include "image/texture.hpp"
#include "ptx/check/checker.hpp"
#include "ptx/instructions/all.hpp"
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <thread>

using namespace pygpu::host;
using namespace pygpu::host::ptx;

namespace {

// One piece of memory, which all pointers lead to.
class OnePiece final : public Memories {
public:
    std::shared_ptr<const void> find(std::uintptr_t address, AddressRange &range) override {
        const auto begin = reinterpret_cast<std::uintptr_t>(room_->data());
        range = {begin, begin + room_->size()};
        return range.has(address, 1) ? room_ : nullptr;
    }
    WriteFlags written(std::uintptr_t address) override {
        AddressRange range;
        return find(address, range) ? WriteFlags{range, written_.data()} : WriteFlags{};
    }
    // A handle's bits say what it is read as.
    std::shared_ptr<const Texture> texture(std::uint64_t handle, bool, const char *&why) override {
        auto texture = std::make_shared<Texture>();
        find(address(), texture->range);
        texture->held = room_;
        texture->layout = static_cast<Texture::Layout>(handle % 3);
        texture->dimensions = 1 + handle / 3 % 3;
        texture->cube = handle & 8 && texture->dimensions == 2;
        texture->layered = texture->cube || (handle & 16 && texture->dimensions < 3);
        texture->texel = static_cast<Texture::Texel>(handle / 32 % 3);
        texture->bits = texture->texel == Texture::Texel::real || handle & 128 ? 32 : 8;
        texture->channels = 1u << handle / 256 % 3;
        texture->address.fill(static_cast<Texture::Address>(handle / 1024 % (texture->cube ? 5 : 4)));
        texture->filtered = handle & 4096;
        texture->normalized = handle & 8192;
        texture->as_fraction = handle & 16384;
        texture->levels.clear();
        for (std::size_t size = 4; size; size = handle & 65536 ? size / 2 : 0) {
            MipLevel level;
            for (std::size_t k = 0; k < texture->dimensions; ++k) level.extent[k] = size;
            if (texture->layered) level.extent[2] = texture->cube ? 12 : 5;
            level.pitch = size * texture->texel_bytes();
            level.slice = size * level.pitch;
            level.base = address() + texture->levels.size() * 4096;
            texture->levels.push_back(level);
        }
        texture->mixes_levels = handle & 131072;
        texture->level_bias = static_cast<float>(handle / 262144 % 8) - 4;
        texture->most_level = 9;
        why = "is none";
        return handle & 32768 ? nullptr : texture;
    }
    void *allocate(std::size_t, const std::string &) override { return nullptr; }
    Released release(void *, const std::string &) override { return Released::never; }
    bool set_condition(std::uint64_t handle, unsigned) override { return handle & 1; }
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(room_->data()); }

private:
    std::shared_ptr<std::vector<char>> room_ = std::make_shared<std::vector<char>>(1 << 16);
    std::vector<char> written_ = std::vector<char>(1 << 16);
};

std::string mutant(const std::string &text, std::mt19937_64 &random) {
    std::string mutant = text;
    const auto at = [&](std::size_t size) { return size ? random() % size : 0; };
    for (std::size_t count = 1 + at(4); count; --count) {
        const std::size_t where = at(mutant.size());
        switch (at(6)) {
        case 0: // another sign
            mutant[where] = static_cast<char>(32 + at(95));
            break;
        case 1: // a piece is gone
            mutant.erase(where, 1 + at(20));
            break;
        case 2: // a piece twice
            mutant.insert(at(mutant.size()), mutant.substr(where, 1 + at(60)));
            break;
        case 3: { // a digit
            const std::size_t digit = mutant.find_first_of("0123456789", where);
            if (digit != mutant.npos) mutant[digit] = static_cast<char>('0' + at(10));
            break;
        }
        case 4: { // two lines change places
            const std::size_t one = mutant.find('\n', where), next = mutant.find('\n', one + 1);
            if (one == mutant.npos || next == mutant.npos) break;
            const std::string line = mutant.substr(one, next - one);
            mutant.erase(one, next - one);
            mutant.insert(std::min(mutant.find('\n', at(mutant.size())), mutant.size()), line);
            break;
        }
        default: { // a word of elsewhere
            const std::size_t from = mutant.find_first_of(".%[", at(mutant.size()));
            const std::size_t to = mutant.find_first_of(".%[", where);
            if (from != mutant.npos && to != mutant.npos) mutant.replace(to, 4, mutant.substr(from, 4));
        }
        }
    }
    return mutant;
}

// Runs a kernel of a module on this thread alone, with pointers and small numbers for arguments.
int launch_one(const std::shared_ptr<Loaded> &loaded, OnePiece &memory, std::mt19937_64 &random) {
    std::vector<const Function *> entries;
    for (const auto &function : loaded->program->functions) {
        loaded->body(*function);
        if (function->entry && function->defined) entries.push_back(function.get());
    }
    if (entries.empty() || loaded->shared_size() > (1 << 18)) return -1;
    check::Reports reports;
    Launch launch;
    launch.loaded = loaded;
    if (loaded->checks) check::check_blocks(launch, reports);
    launch.body = &loaded->body(*entries[random() % entries.size()]);
    launch.block[0] = static_cast<std::uint32_t>(1 + random() % 70);
    launch.grid[0] = 2;
    launch.dynamic_shared = 256;
    launch.local_size = 1 << 17;
    launch.memories = &memory;
    launch.parameters.resize(std::max<std::size_t>(launch.body->parameters_size, 64));
    for (std::size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
        const std::uint64_t value = random() % 4 ? memory.address() + random() % 64 * 8 : random() % 70;
        __builtin_memcpy(launch.parameters.data() + at, &value, sizeof value);
    }
    launch.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    launch.run();
    if (loaded->checks) reports.texts();
    return static_cast<int>(launch.fault);
}

struct Seen {
    long refused = 0;
    std::map<int, long> faults;
};

// Variables of the modules that all threads share have no memory: their kernels would race there.
Seen run_mutants(long turns, std::uint64_t seed, const std::vector<std::string> &texts,
                 const std::vector<std::shared_ptr<Loaded>> &shared) {
    Seen seen;
    std::mt19937_64 random(seed);
    OnePiece memory;
    for (long turn = 0; turn < turns; ++turn) {
        try {
            const auto program = parse(mutant(texts[random() % texts.size()], random));
            const auto loaded = std::make_shared<Loaded>(
                program, Loaded::Addresses{{"counter", memory.address()}}, all_instructions(), turn % 2 == 1);
            ++seen.faults[launch_one(loaded, memory, random)];
        } catch (const Problem &) {
            ++seen.refused;
        }
        if (turn % 16 == 0) launch_one(shared[random() % shared.size()], memory, random);
    }
    return seen;
}

} // namespace

int main(int count, char **arguments) {
    if (count < 5) return 2;
    const long turns = std::atol(arguments[1]);
    const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
    std::vector<Seen> seen(std::strtoul(arguments[3], nullptr, 10));
    std::vector<std::string> texts;
    std::vector<std::shared_ptr<Loaded>> shared;
    for (int index = 4; index < count; ++index) {
        std::ifstream file(arguments[index]);
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        shared.push_back(
            std::make_shared<Loaded>(parse(texts.back()), Loaded::Addresses{}, all_instructions()));
    }
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < seen.size(); ++number)
        threads.emplace_back(
            [&, number] { seen[number] = run_mutants(turns, seed + number, texts, shared); });
    for (std::thread &one : threads) one.join();
    Seen all;
    for (const Seen &one : seen) {
        all.refused += one.refused;
        for (const auto &[fault, times] : one.faults) all.faults[fault] += times;
    }
    std::printf("%ld refused, ran to an end with", all.refused);
    for (const auto &[fault, times] : all.faults) std::printf(" %d: %ld", fault, times);
    std::printf("\n");
}
