#pragma once

#include <CLI/CLI.hpp>

// Each adds one subcommand to the application; its options, its help and what it runs.
namespace dragoman::app {

void add_score(CLI::App& app);
void add_train(CLI::App& app);
void add_translate(CLI::App& app);
void add_analyze(CLI::App& app);
void add_average(CLI::App& app);
void add_back_translate(CLI::App& app);
void add_bench(CLI::App& app);
void add_bench_attention(CLI::App& bench);  // of bench
void add_bench_complexity(CLI::App& bench);
void add_bench_kernels(CLI::App& bench);
void add_bench_parallel(CLI::App& bench);
void add_bench_path(CLI::App& bench);
void add_bench_recompute(CLI::App& bench);
void add_bench_rnn(CLI::App& bench);
void add_classify(CLI::App& app);
void add_classify_predict(CLI::App& classify);   // of classify
void add_classify_evaluate(CLI::App& classify);  // of classify
void add_completion(CLI::App& app);
void add_convert(CLI::App& app);
void add_distill(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_experiment(CLI::App& app);
void add_experiment_task(CLI::App& experiment);  // of experiment
void add_explain(CLI::App& app);
void add_help(CLI::App& app);
void add_info(CLI::App& app);
void add_lm(CLI::App& app);
void add_lm_generate(CLI::App& lm);  // of lm
void add_lm_score(CLI::App& lm);     // of lm
void add_prune(CLI::App& app);
void add_report(CLI::App& app);
void add_shortlist(CLI::App& app);
void add_tokenize(CLI::App& app);

}  // namespace dragoman::app
