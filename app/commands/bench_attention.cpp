#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"
#include "commands/memory_bound.h"

#include "dragoman/complexity/attention_benchmark.h"
#include "dragoman/config/option_names.h"
#include "dragoman/core/error.h"

#include <memory>

namespace dragoman::app {

namespace {

struct BenchAttention {
  std::vector<std::string> kinds = {"full", "tiled", "fused_torch", "local", "linear"};
  HeadAttention sizes;
  std::int64_t shortest = 128, longest = 8192;
  AttentionBenchmarkOptions options;
  bool causal = false, forward_only = false;
  BenchOutput output;

  void run() {
    options.lengths = doubling_lengths(shortest, longest);
    // Query, key, value, the context and that of full attention; the gradients of the first four.
    const double tensors = forward_only ? 5 : 9;
    expect_memory("bench attention",
                  tensors * sizeof(float) * static_cast<double>(longest) *
                      static_cast<double>(options.num_heads) * static_cast<double>(options.d_k),
                  "choose a smaller --max-length, --heads or --d-k");
    output.expect_place();
    for (const auto& kind : kinds) {
      sizes.kind = nlohmann::json(kind).get<AttentionKind>();
      if (causal && sizes.kind == AttentionKind::low_rank)
        throw OptionsError(
            "--causal: low_rank attention is for encoders only; leave one of them out");
      options.kinds.push_back(sizes);
    }
    options.causal = causal;
    options.backward = !forward_only;
    for (auto& kind : options.kinds) kind.max_length = longest;
    output.print(benchmark_attention(options));
  }
};

}  // namespace

void add_bench_attention(CLI::App& bench) {
  auto command = std::make_shared<BenchAttention>();
  auto* sub = bench.add_subcommand(
      "attention",
      "Attention alone: time and memory of each kind by length, float32 on one thread");
  sub->add_option("--kinds", command->kinds,
                  "Kinds to measure; full first, so that others are compared")
      ->check(CLI::IsMember(option_names("model.encoder_attention.kind")))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--min-length", command->shortest, "Shortest sequence; lengths double from it")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->capture_default_str();
  sub->add_option("--max-length", command->longest, "Longest sequence")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->capture_default_str();
  sub->add_option("--heads", command->options.num_heads, "Heads of the attention")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("--d-k", command->options.d_k, "Features of a head")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  sub->add_option("--radius", command->sizes.radius, "Keys to each side of windows")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub->add_option("--block", command->sizes.block, "Queries and keys of a tile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_seconds(*sub, command->options.seconds, "Measuring time of one kind at one length");
  sub->add_flag("--causal", command->causal, "Each position sees the past only");
  sub->add_flag("--forward-only", command->forward_only, "No backward pass");
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
