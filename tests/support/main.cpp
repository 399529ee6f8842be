#define CATCH_CONFIG_MAIN
#include "support/catch.h"
