#include "dragoman/core/descriptor.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace descriptor_test {

using dragoman::Descriptor;

namespace {

std::array<int, 2> open_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) == 0);
  return ends;
}

/// Both ends of a pipe that another program has set not to wait.
struct Pipe {
  std::array<int, 2> ends = open_pipe();
  Descriptor output = {ends[0], "output"}, input = {ends[1], "input"};
};

void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

TEST_CASE("bytes that are not there yet are waited for", "[unit]") {
  Pipe pipe;
  CHECK(pipe.output.would_wait());
  std::jthread writer([&] {
    wait_a_little();
    pipe.input.write("late");
    pipe.input.close();
  });
  CHECK(pipe.output.read() == "late");
  CHECK_FALSE(pipe.output.would_wait());  // its end is there
}

TEST_CASE("what a full pipe does not take is written when it is read", "[unit]") {
  Pipe pipe;
  const std::string much(1 << 20, 'x');
  std::string read;
  {
    std::jthread reader([&] {
      wait_a_little();
      read = pipe.output.read();
    });
    pipe.input.write(much);
    pipe.input.close();
  }
  CHECK(read == much);
}

TEST_CASE("a copy of a descriptor is closed by itself", "[unit]") {
  Pipe pipe;
  {
    Descriptor::copy_of(pipe.input.number(), "copy").write("by the copy");
  }
  pipe.input.write(", and by itself");
  pipe.input.close();
  CHECK(pipe.output.read() == "by the copy, and by itself");
  CHECK_THROWS_WITH(Descriptor::copy_of(-1, "nothing"),
                    test::contains("nothing: cannot be opened"));
}

}  // namespace descriptor_test
