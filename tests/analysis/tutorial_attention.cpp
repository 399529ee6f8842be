#include "analysis/tutorial_checks.h"
#include "dragoman/model/multi_head_attention.h"

namespace test {

namespace tutorial_attention {

namespace {

using dragoman::worked::attend;
using dragoman::worked::inverse_root;

/// x W by the projection of an attention with one head.
at::Tensor projected(const at::Tensor& x, const at::Tensor& w) {
  dragoman::ModelOptions options;
  options.d_model = w.size(0);
  options.num_heads = 1;
  options.d_k = w.size(1);
  options.attention_bias = false;
  dragoman::MultiHeadAttention attention(options);
  attention->to(at::kDouble);
  attention->named_parameters()["key.weight"].set_data(w.t().contiguous());
  return attention->project(x.unsqueeze(0)).key[0][0].detach();
}

/// Those of scores, scaled scores, weights and output that the case has.
void check_attention(TutorialCase& example, const at::Tensor& query, const at::Tensor& key,
                     const at::Tensor& value) {
  const auto scale = inverse_root(query.size(1));
  const auto result = attend(query, key, value, scale);
  for (const auto& [name, actual] : {std::pair{"scores", scores_of(query, key)},
                                     {"scaled", scores_of(query, key, scale)},
                                     {"weights", result.weights},
                                     {"output", result.context}})
    if (example.all_correct().contains(name))
      example.check(name, example.correct(name).at(0).is_array() ? actual : actual[0]);
}

void check_projection(TutorialCase& example) {
  const auto x = example.input_tensor("X"), w = example.input_tensor("W_Q");
  example.check("Q", projected(x, w));
  example.check("q1", projected(x.narrow(0, 0, 1), w)[0]);
}

void check_first_scores(TutorialCase& example) {
  example.check("scores",
                scores_of(example.input_tensor("q1").unsqueeze(0), example.input_tensor("K"))[0]);
}

void check_scaled(TutorialCase& example) {
  const auto scores = example.input_tensor("scores").unsqueeze(0);
  const auto unit = at::eye(scores.size(1), at::kDouble);
  example.check("scaled", scores_of(scores, unit, inverse_root(example.input("d_k")))[0]);
}

void check_weighted_sum_of_first(TutorialCase& example) {
  const auto weights = plain_tensor(worked_example("000.softmax").at("correct").at("weights"));
  example.check("output",
                attend_by(scores_for(weights).unsqueeze(0), example.input_tensor("V")).context[0]);
}

void check_weighted_sum(TutorialCase& example) {
  const auto scores = scores_for(example.input_tensor("alpha")).unsqueeze(0);
  example.check("output", attend_by(scores, example.input_tensor("V")).context[0]);
}

void check_chain(TutorialCase& example) {
  const auto first = worked_example("000.q_projection").at("inputs");
  const auto query =
      projected(plain_tensor(first.at("X")).narrow(0, 0, 1), plain_tensor(first.at("W_Q")));
  example.check("q1", query[0]);
  check_attention(example, query, example.input_tensor("K"), example.input_tensor("V"));
}

void check_three_vectors(TutorialCase& example) {
  const auto x = plain_tensor(worked_example("000.ex1_scores").at("inputs").at("X"));
  check_attention(example, x, x, x);
}

void check_two_words(TutorialCase& example) {
  const auto x = example.input_tensor("X");
  check_attention(example, x, x, x);
  example.check("exp_row1", scores_of(x, x, inverse_root(x.size(1)))[0].exp());
}

void check_three_words(TutorialCase& example) {
  const auto map = [&](const char* name) {
    return projected(example.input_tensor("X"), example.input_tensor(name));
  };
  const auto query = map("W_Q"), key = map("W_K"), value = map("W_V");
  example.check("Q", query);
  example.check("K", key);
  example.check("V", value);
  check_attention(example, query, key, value);
  const auto unscaled = attend(query, key, value, 1.0);
  example.check("weights_without_scaling", unscaled.weights);
  example.check("output_without_scaling", unscaled.context);
}

}  // namespace

}  // namespace tutorial_attention

TutorialChecks attention_checks() {
  using namespace tutorial_attention;
  return {{"000.q_projection", check_projection},
          {"000.scores", check_first_scores},
          {"000.scaled", check_scaled},
          {"000.weighted_sum", check_weighted_sum_of_first},
          {"000.chain_from_correct_q1", check_chain},
          {"000.ex1_", check_three_vectors},
          {"001.weighted_sum", check_weighted_sum},
          {"001.ex1", check_two_words},
          {"001.ex2", check_three_words}};
}

}  // namespace test
