// Threads that run queued work: as many as there are streams with some at once.
#pragma once

#include <memory>

namespace pygpu::host {

class Stream;

// Gives the stream a thread until its queue is empty. Throws std::system_error where none is to be had.
void serve(std::shared_ptr<Stream> stream);

} // namespace pygpu::host
