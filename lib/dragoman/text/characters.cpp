#include "dragoman/text/characters.h"

#include "dragoman/core/code_points.h"

namespace dragoman {

namespace {

constexpr CodePointRange space_ranges[] = {{U'\t', U'\t'},   {U' ', U' '},     {0x00A0, 0x00A0},
                                           {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
                                           {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

constexpr CodePointRange wide_ranges[] = {
    {0x3001, 0x30FF},     // marks, kana
    {0x3400, 0x9FFF},     // Chinese characters
    {0xF900, 0xFAFF},     // compatibility forms of them
    {0xFF01, 0xFF65},     // marks, letters and digits of full width
    {0x20000, 0x3FFFF}};  // rare Chinese characters

constexpr CodePointRange unspaced_ranges[] = {
    {0x0E00, 0x0EFF},  // Thai, Lao
    {0x1000, 0x109F},  // Burmese
    {0x1780, 0x17FF},  // Khmer
    {0x3005, 0x3007},  // repeated and closing signs, zero
    {0x3040, 0x30FA},  // kana
    {0x30FC, 0x30FF},  // of which 0x30FB is the middle dot
    {0x3400, 0x9FFF},  // Chinese characters, as above
    {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}};

}  // namespace

bool is_space(char32_t character) { return is_in(space_ranges, character); }

bool is_wide(char32_t character) { return is_in(wide_ranges, character); }

bool is_unspaced(char32_t character) { return is_in(unspaced_ranges, character); }

}  // namespace dragoman
