# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -D PAGE=page/page.html -D OUT=page.cpp -P embed_page.cmake
# Writes the page as C++. The style sheets and scripts that it names become part of it, in one element each, and their
# hashes are taken for Content-Security-Policy. The page itself works in a browser as the files that it is, too.

set(_alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# Sets RESULT to what a policy calls TEXT: its SHA-256 in base 64. 32 bytes are 43 digits, and the last has two bits to
# spare.
function(policy_hash text result)
    string(SHA256 hex "${text}")
    string(APPEND hex "00") # to 33 bytes, which are 44 digits
    set(digits "")
    foreach(begin RANGE 0 60 6)
        string(SUBSTRING "${hex}" ${begin} 6 part)
        foreach(shift 18 12 6 0)
            math(EXPR digit "(0x${part} >> ${shift}) & 63")
            string(SUBSTRING "${_alphabet}" ${digit} 1 digit)
            string(APPEND digits "${digit}")
        endforeach()
    endforeach()
    string(SUBSTRING "${digits}" 0 43 digits)
    set(${result} "'sha256-${digits}='" PARENT_SCOPE)
endfunction()

# Replaces the elements between BEGIN and END, each with a file's name in between, by one ELEMENT that has the text of all.
function(put_in begin end element)
    cmake_path(GET PAGE PARENT_PATH folder)
    set(all "\n")
    set(place -1)
    while(TRUE)
        string(FIND "${page}" "${begin}" at)
        if(at EQUAL -1)
            break()
        endif()
        string(SUBSTRING "${page}" 0 ${at} before)
        string(LENGTH "${begin}" length)
        math(EXPR at "${at} + ${length}")
        string(SUBSTRING "${page}" ${at} -1 rest)
        string(FIND "${rest}" "${end}" at)
        string(SUBSTRING "${rest}" 0 ${at} name)
        string(LENGTH "${end}" length)
        math(EXPR at "${at} + ${length}")
        string(SUBSTRING "${rest}" ${at} -1 rest)
        file(READ "${folder}/${name}" text)
        string(APPEND all "${text}")
        if(place EQUAL -1)
            string(LENGTH "${before}" place)
        endif()
        string(REGEX REPLACE "^[ \n]+" "" rest "${rest}")
        set(page "${before}${rest}")
    endwhile()
    policy_hash("${all}" hash)
    set(${element}_hash "${hash}" PARENT_SCOPE)
    string(SUBSTRING "${page}" 0 ${place} before)
    string(SUBSTRING "${page}" ${place} -1 rest)
    set(page "${before}<${element}>${all}</${element}>\n${rest}" PARENT_SCOPE)
endfunction()

file(READ "${PAGE}" page)
put_in("<link rel=\"stylesheet\" href=\"" "\">" style)
put_in("<script src=\"" "\"></script>" script)

# A compiler need not take a longer literal than 65536 bytes, and this is well below.
string(LENGTH "${page}" length)
if(length GREATER 65000 OR "${page}" MATCHES "\\)page\"")
    message(FATAL_ERROR "embed_page: ${length} bytes, or a )page\" among them: no string literal")
endif()
file(WRITE "${OUT}" "// Written by embed_page.cmake.
#include \"page.hpp\"

namespace relay_hub::page {

const std::string_view html = R\"page(${page})page\";
const std::string_view script_hash = \"${script_hash}\";
const std::string_view style_hash = \"${style_hash}\";

} // namespace relay_hub::page
")
