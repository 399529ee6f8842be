#include "dragoman/analysis/worked_example.h"

#include "dragoman/core/error.h"
#include "support/golden.h"

#include <algorithm>
#include <set>

namespace worked_example_test {

using namespace dragoman;

namespace {

/// The step that computes a number of golden/seeds.json.
struct Place {
  const char* id;     ///< of the case
  const char* field;  ///< JSON pointer in it
  const char* example;
  const char* step;
};

// The fields of "correct", and those printed values that are plain numbers.
const std::vector<Place> places = {
    {"000.q_projection", "/correct/q1", "first-query", "q1"},
    {"000.q_projection", "/correct/Q", "first-query", "Q"},
    {"000.q_projection", "/as_printed/q1", "first-query", "q1"},
    {"000.scores", "/correct/scores", "first-query", "scores from the printed q1"},
    {"000.scores", "/as_printed/scores", "first-query", "scores from the printed q1"},
    {"000.scaled", "/correct/scaled", "first-query", "scaled from the printed q1"},
    {"000.scaled", "/as_printed/scaled", "first-query", "scaled from the printed q1"},
    {"000.softmax", "/correct/exp", "first-query", "exp from the printed q1"},
    {"000.softmax", "/correct/sum", "first-query", "sum from the printed q1"},
    {"000.softmax", "/correct/weights", "first-query", "weights from the printed q1"},
    {"000.softmax", "/as_printed/weights", "first-query", "weights from the printed q1"},
    {"000.softmax", "/as_printed/exp", "first-query", "exp from the printed q1"},
    {"000.softmax", "/as_printed/sum", "first-query", "sum from the printed q1"},
    {"000.weighted_sum", "/correct/output", "first-query", "output from the printed q1"},
    {"000.weighted_sum", "/as_printed/output", "first-query", "output from the printed q1"},
    {"000.chain_from_correct_q1", "/correct/q1", "first-query", "q1"},
    {"000.chain_from_correct_q1", "/correct/scores", "first-query", "scores"},
    {"000.chain_from_correct_q1", "/correct/scaled", "first-query", "scaled"},
    {"000.chain_from_correct_q1", "/correct/weights", "first-query", "weights"},
    {"000.chain_from_correct_q1", "/correct/output", "first-query", "output"},
    {"000.intuition_weights", "/correct/printed_sum_if_each", "weights-sum", "sum of \"slept\""},
    {"000.variance", "/correct/d_k", "variance", "d_k"},
    {"000.variance", "/correct/variance", "variance", "variance"},
    {"000.variance", "/correct/scaled_variance", "variance", "scaled variance"},
    {"000.softmax_saturated", "/correct/p", "saturation", "p"},
    {"000.softmax_saturated", "/correct/max_abs_jacobian", "saturation", "largest derivative"},
    {"000.ex1_scores", "/correct/scores", "three-vectors", "scores"},
    {"000.ex1_scores", "/correct/scaled", "three-vectors", "scaled"},
    {"000.ex1_weights", "/correct/weights", "three-vectors", "weights"},
    {"000.ex1_weights", "/as_printed/weights", "three-vectors", "weights"},
    {"000.ex1_output", "/correct/output", "three-vectors", "output"},
    {"000.ex1_output", "/as_printed/output", "three-vectors", "output"},
    {"000.pe_0_4", "/correct/pe", "positions", "PE(0), d_model 4"},
    {"000.pe_1_4", "/correct/pe", "positions", "PE(1), d_model 4"},
    {"000.pe_2_4", "/correct/pe", "positions", "PE(2), d_model 4"},
    {"000.pe_3_6", "/correct/pe", "positions", "PE(3), d_model 6"},
    {"000.pe_3_6", "/as_printed/pe", "positions", "PE(3), d_model 6"},
    {"000.pe_added", "/correct/sum_of_printed", "positions", "sum of printed"},
    {"000.pe_added", "/correct/pe5_first_two", "positions", "PE(5), first two"},
    {"000.layer_norm", "/correct/mean", "layer-norm", "mean"},
    {"000.layer_norm", "/correct/sigma", "layer-norm", "sigma"},
    {"000.layer_norm", "/correct/no_eps", "layer-norm", "without eps"},
    {"000.layer_norm", "/correct/eps_1e-5", "layer-norm", "with eps"},
    {"000.parameters", "/correct/attention", "parameters", "attention"},
    {"000.parameters", "/correct/ffn", "parameters", "feed-forward"},
    {"000.parameters", "/correct/decoder_norms", "parameters", "decoder norms"},
    {"000.parameters", "/correct/encoder_layer", "parameters", "encoder layer"},
    {"000.parameters", "/correct/encoder_stack", "parameters", "encoder"},
    {"000.parameters", "/correct/decoder_layer", "parameters", "decoder layer"},
    {"000.parameters", "/correct/decoder_stack", "parameters", "decoder"},
    {"000.parameters", "/correct/no_biases/total_two_matrices", "parameters",
     "total, two vocabulary matrices"},
    {"000.parameters", "/correct/no_biases/total_one_shared_matrix", "parameters",
     "total, one shared matrix"},
    {"000.parameters", "/correct/no_biases/total_three_matrices", "parameters",
     "total, three matrices"},
    {"000.noam", "/correct/steps", "schedule", "step"},
    {"000.noam", "/correct/lr", "schedule", "rate"},
    {"000.noam", "/correct/relative", "schedule", "relative"},
    {"000.noam", "/correct/peak", "schedule", "peak"},
    {"000.noam", "/as_printed/relative", "schedule", "relative"},
    {"000.label_smoothing", "/correct/q", "label-smoothing", "q"},
    {"000.label_smoothing", "/correct/sum", "label-smoothing", "sum"},
    {"000.tokens_per_batch", "/correct/sentences", "batches", "sentences"},
    {"000.length_batches", "/correct/padding", "batches", "padding"},
    {"000.length_batches", "/correct/padding_if_one_batch", "batches", "padding in one batch"},
    {"000.length_batches", "/correct/tokens", "batches", "tokens"},
    {"000.complexity", "/correct/samples/3/attention_core_macs", "cost", "core"},
    {"000.complexity", "/correct/samples/3/projections_macs", "cost", "projections"},
    {"000.complexity", "/correct/samples/3/ffn_macs_dff_4d", "cost", "feed-forward"},
    {"000.complexity", "/correct/samples/3/vanilla_rnn_macs", "cost", "recurrent layer"},
    {"000.head_split", "/correct/W_i_shape_row_vector_convention", "heads", "shape of W_i^Q"},
    {"001.adjectives", "/correct/sums", "weights-sum", "sums of big, red and car"},
    {"001.library", "/correct/matches", "weights-sum", "matches"},
    {"001.library", "/correct/sum", "weights-sum", "sum"},
    {"001.library", "/correct/divided_by_sum", "weights-sum", "divided by sum"},
    {"001.library", "/correct/softmax", "weights-sum", "softmax"},
    {"001.it_weights", "/correct/printed_sum_without_others", "weights-sum", "sum of \"it\""},
    {"001.typical_dims", "/correct/d_k", "heads", "d_k of the base model"},
    {"001.scaling_unscaled", "/correct/p", "saturation", "p unscaled"},
    {"001.scaling_unscaled", "/as_printed/p", "saturation", "p unscaled"},
    {"001.scaling_scaled", "/correct/p", "saturation", "p scaled"},
    {"001.softmax_intuition", "/correct/exp", "softmax", "exp"},
    {"001.softmax_intuition", "/correct/sum", "softmax", "sum"},
    {"001.softmax_intuition", "/correct/p", "softmax", "p"},
    {"001.weighted_sum", "/correct/output", "weighted-sum", "output"},
    {"001.ex1", "/correct/scores", "two-words", "scores"},
    {"001.ex1", "/correct/scaled", "two-words", "scaled"},
    {"001.ex1", "/correct/exp_row1", "two-words", "exp of row 1"},
    {"001.ex1", "/correct/weights", "two-words", "weights"},
    {"001.ex1", "/correct/output", "two-words", "output"},
    {"001.ex2", "/correct/Q", "three-words", "Q"},
    {"001.ex2", "/correct/K", "three-words", "K"},
    {"001.ex2", "/correct/V", "three-words", "V"},
    {"001.ex2", "/correct/scores", "three-words", "scores"},
    {"001.ex2", "/correct/weights", "three-words", "weights"},
    {"001.ex2", "/correct/output", "three-words", "output"},
    {"001.ex2", "/correct/weights_without_scaling", "three-words", "weights without scaling"},
    {"001.ex2", "/correct/output_without_scaling", "three-words", "output without scaling"},
    {"001.ex2", "/as_printed/weights", "three-words", "weights"},
    {"001.ex2", "/as_printed/output", "three-words", "output"},
    {"001.pronoun", "/correct/weights", "pronoun", "weights"},
    {"001.pronoun", "/as_printed/weights", "pronoun", "weights"},
    {"001.masked_rows", "/correct/A", "causal", "A"},
    {"001.local_window", "/correct/window_2_matrix_n5", "local-window", "window 2"},
    {"001.local_window", "/correct/window_3_position_5", "local-window", "window 3 at 5"},
    {"001.local_window", "/correct/window_3_position_10", "local-window", "window 3 at 10"},
    {"001.global_local", "/correct/allowed_pairs/five_keys_radius_2", "global-local", "radius 2"},
    {"001.global_local", "/correct/allowed_pairs/window_5_radius_4", "global-local", "radius 4"},
    {"001.global_local", "/correct/full", "global-local", "full"},
    {"001.strided", "/correct/keys", "strided", "absolute"},
    {"001.strided", "/correct/relative_variant", "strided", "relative"},
    {"001.head_parameters", "/correct/per_head", "heads", "one head"},
    {"001.head_parameters", "/correct/output_projection", "heads", "output projection"},
    {"001.head_parameters", "/correct/total", "heads", "total"},
    {"001.head_parameters", "/correct/total_with_biases", "heads", "total with biases"},
    {"001.overfitting_parameters", "/correct/d_model_8_h_2", "heads",
     "total by the formula 4 d_model^2 h"},
    {"001.attention_memory", "/correct/GB", "cost", "weights at n = 100,000"},
    {"001.dot_512", "/correct/std", "variance", "deviation"},
    {"001.dot_512", "/correct/100_in_sigmas", "variance", "100 in deviations"},
    {"001.checkpointing", "/correct/compute_factor_if_backward_is_twice_forward", "cost",
     "checkpointing"},
    {"003.layers", "/correct/encoder", "parameters", "sub-layers of an encoder layer"},
    {"003.layers", "/correct/decoder", "parameters", "sub-layers of a decoder layer"},
    {"004.path_length", "/correct/attention", "cost", "longest path, attention"},
    {"004.path_length", "/correct/recurrent", "cost", "longest path, recurrent"}};

// Fields of "correct" that others of the case are computed from.
const std::vector<std::string> given_fields = {"A",       "d_k", "d_model", "heads",
                                               "matches", "n",   "samples", "steps"};

/// The cases of the repository's own file: with the inputs of the tutorials.
const nlohmann::json& tutorial_cases() {
  static const auto content =
      test::read_json(test::source_folder() / "tests" / "golden" / "seeds.json");
  return content.at("cases");
}

/// Whether a file has the case; some ids have sizes in them, such as 001.dot_512.
bool has_case(const nlohmann::json& all, const std::string& id) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.at("id") == id; });
}

/// What the case gives for its results to be computed from.
nlohmann::json given_by(const nlohmann::json& all, const std::string& id) {
  const auto stored = test::case_of_id(all, id);
  const auto& correct = stored.at("correct");
  nlohmann::json given = {stored.at("definition"), stored.value("inputs", nlohmann::json())};
  for (const auto& field : given_fields) given.push_back(correct.value(field, nlohmann::json()));
  // Printed numbers of other names are not those results, but weights to be added up.
  const auto printed = stored.value("as_printed", nlohmann::json::object());
  for (const auto& [name, value] : printed.items())
    if (!correct.contains(name)) given.push_back(value);
  // Some names have sizes: "window_2_matrix_n5".
  const auto leaves = correct.flatten();
  for (const auto& [path, value] : leaves.items()) given.push_back(path);
  return given;
}

/// The cases to compare an example with: those of the file in use, if they give what the tutorials
/// give. The library's results for other inputs are compared in tutorial_cases_test.
const nlohmann::json& cases_for(const std::string& example) {
  for (const auto& place : places)
    if (place.example == example &&
        (!has_case(test::worked_examples(), place.id) ||
         given_by(test::worked_examples(), place.id) != given_by(tutorial_cases(), place.id)))
      return tutorial_cases();
  return test::worked_examples();
}

}  // namespace

TEST_CASE("the worked examples match the recomputed numbers of the tutorials", "[golden]") {
  for (const auto& place : places) {
    CAPTURE(place.id, place.field, place.example, place.step);
    const auto stored = test::case_of_id(cases_for(place.example), place.id);
    const auto expected = test::plain_tensor(stored.at(nlohmann::json::json_pointer(place.field)));
    const auto example = worked_example(place.example);
    const auto& step = example.step(place.step);
    const bool is_print = std::string(place.field).starts_with("/as_printed");
    const auto& actual = is_print ? step.printed : step.value;
    CHECK_THAT(actual.reshape(expected.sizes()), test::close_to(expected, {1e-9, 1e-11}));
  }
}

TEST_CASE("each worked example with a case of its own is compared with it", "[unit]") {
  std::set<std::string> compared;
  for (const auto& place : places) compared.insert(place.example);
  for (const auto& example : worked_examples()) {
    CAPTURE(example.name);
    // These two have the tutorials' vectors and results of their own.
    const bool own = example.name == "past" || example.name == "permutation";
    CHECK(compared.contains(example.name) != own);
  }
}

TEST_CASE("printed values are flagged exactly where they are wrong", "[unit]") {
  std::set<std::string> wrong;
  for (const auto& example : worked_examples())
    for (const auto& step : example.steps)
      if (!print_agrees(step)) wrong.insert(example.name + ": " + step.name);
  CHECK(wrong == std::set<std::string>{
                     "first-query: q1", "first-query: scaled from the printed q1",
                     "first-query: exp from the printed q1", "first-query: sum from the printed q1",
                     "first-query: output from the printed q1", "three-vectors: weights",
                     "three-vectors: output", "three-words: weights", "three-words: output",
                     "three-words: output without scaling", "softmax: sum",
                     "saturation: p unscaled", "pronoun: weights", "positions: PE(5), first two",
                     "heads: total by the formula 4 d_model^2 h", "parameters: decoder norms",
                     "parameters: total, two vocabulary matrices", "cost: checkpointing",
                     "schedule: relative"});
}

TEST_CASE("self-attention without positions permutes with its input", "[unit]") {
  CHECK(worked_example("permutation").step("difference").value.item<double>() < 1e-15);
}

TEST_CASE("an unknown example is refused with all names", "[unit]") {
  CHECK_THROWS_WITH(worked_example("four-words"), test::contains("three-words"));
  CHECK_THROWS_AS(worked_example("three-words").step("no such"), ContractError);
}

}  // namespace worked_example_test
