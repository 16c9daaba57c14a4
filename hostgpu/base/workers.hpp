// Threads that run queued work: as many as there are streams with work at the same time.
#pragma once

#include <memory>

namespace pygpu::host {

class Stream;

// Gives the stream a thread until its queue is empty. Throws std::system_error where none can be started.
void serve(std::shared_ptr<Stream> stream);

} // namespace pygpu::host
