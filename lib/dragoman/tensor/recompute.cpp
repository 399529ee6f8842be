#include "dragoman/tensor/recompute.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/random_replay.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <optional>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Everything that running a segment again needs besides its input.
struct SegmentRun : torch::CustomClassHolder {
  SegmentRun(const Segment& wanted, const c10::Device& where)
      : segment(wanted), device(where), types(ProductTypes::now(where.type())), random(where) {}

  at::Tensor again(const at::Tensor& x, const at::Tensor& memory) const {
    const RandomReplay same_numbers(random, device);
    const ProductTypesScope same_types(types);
    return segment(x, memory);
  }

  Segment segment;
  c10::Device device;
  ProductTypes types;
  RandomState random;
};

/// The same values at the start of a graph.
Variable start_of_graph(const Variable& x) {
  return x.defined() ? x.detach().set_requires_grad(x.requires_grad()) : x;
}

Variable gradient_of(const Variable& x) { return x.defined() ? x.grad() : Variable(); }

/// The autograd node; `memory` passes through it, so that its gradients arrive here.
class RecomputedSegment : public torch::autograd::Function<RecomputedSegment> {
 public:
  static variable_list forward(AutogradContext* context, const Variable& x,
                               const std::optional<Variable>& read, const Segment& segment) {
    const auto memory = read.value_or(Variable());
    const auto run = c10::make_intrusive<SegmentRun>(segment, x.device());
    context->save_for_backward({x, memory});
    context->saved_data["run"] = c10::IValue::make_capsule(run);
    context->set_materialize_grads(false);
    const ProductTypesScope same_types(run->types);
    // With a graph, which is discarded at once: some operations compute differently without one.
    const at::AutoGradMode with_graph(true);
    const auto result = segment(start_of_graph(x), start_of_graph(memory)).detach();
    return memory.defined() ? variable_list{result, memory} : variable_list{result};
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const auto of_memory = outer.size() > 1 ? outer[1] : Variable();
    if (!outer[0].defined()) return {Variable(), of_memory, Variable()};
    const auto run =
        c10::static_intrusive_pointer_cast<SegmentRun>(context->saved_data["run"].toCapsule());
    const auto saved = context->get_saved_variables();
    const auto x = start_of_graph(saved[0]), memory = start_of_graph(saved[1]);
    variable_list results, gradients;
    {
      const at::AutoGradMode with_graph(true);
      results = {run->again(x, memory)};
      gradients = {outer[0]};
      // Created last, it runs first in backward: it accumulates onto gradients of later segments
      // first.
      if (of_memory.defined() && memory.requires_grad()) {
        results.push_back(at::alias(memory));
        gradients.push_back(of_memory);
      }
    }
    torch::autograd::backward(results, gradients);
    return {gradient_of(x), gradient_of(memory), Variable()};
  }
};

bool wants_gradient(const at::Tensor& x) { return x.defined() && x.requires_grad(); }

}  // namespace

SegmentEnds recomputed(const SegmentEnds& from, const Segment& segment) {
  if (!at::GradMode::is_enabled() || (!wants_gradient(from.x) && !wants_gradient(from.memory)))
    return {segment(from.x, from.memory), from.memory};
  const auto memory = from.memory.defined() ? std::optional(from.memory) : std::nullopt;
  const auto ends = RecomputedSegment::apply(from.x, memory, segment);
  return {ends[0], ends.size() > 1 ? ends[1] : at::Tensor()};
}

}  // namespace dragoman
