// Translates each line of standard input: translate_lines RUN
#include <dragoman/translator.h>

#include <iostream>

int main(int count, char** arguments) try {
  if (count != 2) throw dragoman::OptionsError("usage: translate_lines RUN");
  const auto translator = dragoman::Translator::load(arguments[1]);
  for (std::string line; std::getline(std::cin, line);)
    std::cout << translator.translate(line).text() << '\n';
} catch (const dragoman::Error& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.exit_code());
}
