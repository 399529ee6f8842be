#include "dragoman/report/tensorboard.h"

#include "support/catch.h"
#include "support/process.h"
#include "support/skip.h"
#include "support/temporary_directory.h"

#include <cstdlib>

namespace tensorboard_reader_test {

namespace {

/// A python3 that has the `tensorboard` package: DRAGOMAN_PYTHON, else the one in the path.
std::string python_with_tensorboard() {
  const char* chosen = std::getenv("DRAGOMAN_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  const auto found = test::run({python, "-c", "import tensorboard"});
  return found.exit_code == 0 ? python : "";
}

const char* const print_curve = R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
for tag in sorted(events.Tags()["scalars"]):
    print(tag, [(e.step, e.value) for e in events.Scalars(tag)])
# The reader of the server, which has all points as tensors and drops texts as well.
from tensorboard.backend.event_processing import plugin_event_accumulator
events = plugin_event_accumulator.EventAccumulator(sys.argv[1])
events.Reload()
for tag in sorted(events.Tags()["tensors"]):
    plugin = events.SummaryMetadata(tag).plugin_data.plugin_name
    if plugin == "text":
        for e in events.Tensors(tag):
            print(tag, plugin, e.step, e.tensor_proto.string_val[0].decode())
)";

}  // namespace

TEST_CASE("TensorBoard's own reader shows each step once after a resume", "[golden]") {
  const auto python = python_with_tensorboard();
  if (python.empty()) {
    test::skip("no python3 with the tensorboard package; name one in DRAGOMAN_PYTHON");
    return;
  }
  const test::TemporaryDirectory folder;
  {
    dragoman::TensorBoard board(folder.path(), 1);
    for (int step = 1; step <= 4; ++step) board.write(step, {{"loss", 10.0 - step}, {"rate", 0.5}});
    board.write_text(2, "samples", "ein Hund");
    board.write_text(4, "samples", "lost");
  }
  dragoman::TensorBoard resumed(folder.path(), 3);  // steps 3 and 4 were lost with the process
  resumed.write(3, {{"loss", 2.0}});

  const auto result = test::run({python, "-c", print_curve, folder.path().string()});
  INFO(result.err);
  CHECK(result.out ==
        "loss [(1, 9.0), (2, 8.0), (3, 2.0)]\n"
        "rate [(1, 0.5), (2, 0.5)]\n"
        "samples text 2 ein Hund\n");
}

}  // namespace tensorboard_reader_test
