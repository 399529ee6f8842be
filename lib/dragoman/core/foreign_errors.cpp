#include "dragoman/core/foreign_errors.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"

#include <filesystem>
#include <new>
#include <system_error>

namespace dragoman {

void rethrow_as_error() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(error.path1().empty()
                        ? error.what()
                        : concat(error.path1().string(), ": ", error.code().message()));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) fail_without_thread(error);
    throw InternalError(error.what());
  } catch (const std::bad_alloc&) {
    throw DataError(concat("out of memory: the system gives no more", memory_remedy));
  } catch (const std::exception& error) {
    throw InternalError(error.what());
  }
}

}  // namespace dragoman
