#pragma once

#include "dragoman/config/train_options.h"

#include <c10/core/Device.h>

namespace dragoman {

/// While one lives, the products of this thread run in the short type, where `precision` asks for it.
class Autocast {
 public:
  Autocast(const c10::Device& device, Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType type_;
  bool active_;
  bool before_ = false;
};

}  // namespace dragoman
