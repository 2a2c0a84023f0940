// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_FOREIGN_MACROS_WORDS_HPP
#define DASHPOT_TESTS_FOREIGN_MACROS_WORDS_HPP

// Words that headers of others define as macros. Here each expands to something that does not
// compile, so that a header of dashpot that uses the word as a name fails, whatever the macro's real
// value is. Include the headers of the standard library before this file, and dashpot's after it.
//
// A word that the standard library itself uses as a name (move, erase, clear, read, new) is left out:
// no C++ program can define it.

#define DASHPOT_FOREIGN ] a macro of another library [

// Qt, unless QT_NO_KEYWORDS is defined.
#define emit DASHPOT_FOREIGN
#define foreach(variable, container) DASHPOT_FOREIGN
#define forever DASHPOT_FOREIGN
#define signals DASHPOT_FOREIGN
#define slots DASHPOT_FOREIGN
#define Q_ASSERT(condition) DASHPOT_FOREIGN
#define Q_DISABLE_COPY(type) DASHPOT_FOREIGN
#define Q_EMIT DASHPOT_FOREIGN
#define Q_OBJECT DASHPOT_FOREIGN
#define Q_SIGNALS DASHPOT_FOREIGN
#define Q_SLOTS DASHPOT_FOREIGN
#define SIGNAL(name) DASHPOT_FOREIGN
#define SLOT(name) DASHPOT_FOREIGN

// windows.h and what it includes.
#undef min
#undef max
#define min(a, b) DASHPOT_FOREIGN
#define max(a, b) DASHPOT_FOREIGN
#undef far
#undef hyper
#undef interface
#undef near
#undef small
#define cdecl DASHPOT_FOREIGN
#define environ DASHPOT_FOREIGN
#define far DASHPOT_FOREIGN
#define hyper DASHPOT_FOREIGN
#define interface DASHPOT_FOREIGN
#define near DASHPOT_FOREIGN
#define pascal DASHPOT_FOREIGN
#define small DASHPOT_FOREIGN
#undef ERROR
#undef IN
#undef OUT
#undef TRUE
#undef FALSE
#define ABSOLUTE DASHPOT_FOREIGN
#define CALLBACK DASHPOT_FOREIGN
#define CONST DASHPOT_FOREIGN
#define CreateEvent DASHPOT_FOREIGN
#define CreateMutex DASHPOT_FOREIGN
#define DELETE DASHPOT_FOREIGN
#define DOMAIN DASHPOT_FOREIGN
#define ERROR DASHPOT_FOREIGN
#define FAILED(result) DASHPOT_FOREIGN
#define FALSE DASHPOT_FOREIGN
#define FAR DASHPOT_FOREIGN
#define GetCurrentTime DASHPOT_FOREIGN
#define GetMessage DASHPOT_FOREIGN
#define GetObject DASHPOT_FOREIGN
#define IGNORE DASHPOT_FOREIGN
#define IN DASHPOT_FOREIGN
#define INFINITE DASHPOT_FOREIGN
#define NEAR DASHPOT_FOREIGN
#define NOERROR DASHPOT_FOREIGN
#define OPAQUE DASHPOT_FOREIGN
#define OPTIONAL DASHPOT_FOREIGN
#define OUT DASHPOT_FOREIGN
#define PASSTHROUGH DASHPOT_FOREIGN
#define PURE DASHPOT_FOREIGN
#define RELATIVE DASHPOT_FOREIGN
#define ReportEvent DASHPOT_FOREIGN
#define STRICT DASHPOT_FOREIGN
#define SUCCEEDED(result) DASHPOT_FOREIGN
#define SendMessage DASHPOT_FOREIGN
#define TEXT(text) DASHPOT_FOREIGN
#define THIS DASHPOT_FOREIGN
#define TRANSPARENT DASHPOT_FOREIGN
#define TRUE DASHPOT_FOREIGN
#define VOID DASHPOT_FOREIGN
#define Yield() DASHPOT_FOREIGN

// X11: X.h, Xlib.h, Xutil.h, Intrinsic.h.
#define Above DASHPOT_FOREIGN
#define Always DASHPOT_FOREIGN
#define AnyKey DASHPOT_FOREIGN
#define BadAccess DASHPOT_FOREIGN
#define BadAlloc DASHPOT_FOREIGN
#define BadLength DASHPOT_FOREIGN
#define BadMatch DASHPOT_FOREIGN
#define BadName DASHPOT_FOREIGN
#define BadRequest DASHPOT_FOREIGN
#define BadValue DASHPOT_FOREIGN
#define Below DASHPOT_FOREIGN
#define Bool DASHPOT_FOREIGN
#define BottomIf DASHPOT_FOREIGN
#define ButtonPress DASHPOT_FOREIGN
#define ClientMessage DASHPOT_FOREIGN
#define Complex DASHPOT_FOREIGN
#define ConnectionNumber(display) DASHPOT_FOREIGN
#define Convex DASHPOT_FOREIGN
#define CreateNotify DASHPOT_FOREIGN
#define CurrentTime DASHPOT_FOREIGN
#define CursorShape DASHPOT_FOREIGN
#define DestroyAll DASHPOT_FOREIGN
#define DestroyNotify DASHPOT_FOREIGN
#define EnterNotify DASHPOT_FOREIGN
#define EvenOddRule DASHPOT_FOREIGN
#define Expose DASHPOT_FOREIGN
#define False DASHPOT_FOREIGN
#define FocusIn DASHPOT_FOREIGN
#define FocusOut DASHPOT_FOREIGN
#define GenericEvent DASHPOT_FOREIGN
#define GrabSuccess DASHPOT_FOREIGN
#define InactiveState DASHPOT_FOREIGN
#define InputHint DASHPOT_FOREIGN
#define InputOnly DASHPOT_FOREIGN
#define KeyPress DASHPOT_FOREIGN
#define KeyRelease DASHPOT_FOREIGN
#define LeaveNotify DASHPOT_FOREIGN
#define MappingBusy DASHPOT_FOREIGN
#define MappingFailed DASHPOT_FOREIGN
#define MappingSuccess DASHPOT_FOREIGN
#define NextRequest(display) DASHPOT_FOREIGN
#define NoValue DASHPOT_FOREIGN
#define None DASHPOT_FOREIGN
#define NormalState DASHPOT_FOREIGN
#define NotUseful DASHPOT_FOREIGN
#define NotifyNormal DASHPOT_FOREIGN
#define Opposite DASHPOT_FOREIGN
#define QLength(display) DASHPOT_FOREIGN
#define QueuedAlready DASHPOT_FOREIGN
#define ResizeRequest DASHPOT_FOREIGN
#define StateHint DASHPOT_FOREIGN
#define Status DASHPOT_FOREIGN
#define Success DASHPOT_FOREIGN
#define TopIf DASHPOT_FOREIGN
#define True DASHPOT_FOREIGN
#define Unsorted DASHPOT_FOREIGN
#define WhenMapped DASHPOT_FOREIGN
#define WindingRule DASHPOT_FOREIGN
#define WithdrawnState DASHPOT_FOREIGN
#define ZoomState DASHPOT_FOREIGN

// Unix: glibc's sys/param.h, sys/sysmacros.h, termios.h, math.h, complex.h; curses.h; and what g++
// defines unless it is strict (-std=gnu++20).
#undef I
#undef linux
#undef major
#undef makedev
#undef minor
#undef unix
#define B0 DASHPOT_FOREIGN
#define BSD DASHPOT_FOREIGN
#define CONTROL DASHPOT_FOREIGN
#define ECHO DASHPOT_FOREIGN
#define ERR DASHPOT_FOREIGN
#undef EOF
#define EOF DASHPOT_FOREIGN
#define I DASHPOT_FOREIGN
#define MAX(a, b) DASHPOT_FOREIGN
#define MIN(a, b) DASHPOT_FOREIGN
#define OK DASHPOT_FOREIGN
#undef OVERFLOW
#define OVERFLOW DASHPOT_FOREIGN
#define border(a, b, c, d, e, f, g, h) DASHPOT_FOREIGN
#define echo() DASHPOT_FOREIGN
#define filter() DASHPOT_FOREIGN
#define howmany(x, y) DASHPOT_FOREIGN
#define linux DASHPOT_FOREIGN
#define major(device) DASHPOT_FOREIGN
#define makedev(major_number, minor_number) DASHPOT_FOREIGN
#define minor(device) DASHPOT_FOREIGN
#define powerof2(x) DASHPOT_FOREIGN
#define refresh() DASHPOT_FOREIGN
#define roundup(x, y) DASHPOT_FOREIGN
#define scroll(window) DASHPOT_FOREIGN
#define setterm(name) DASHPOT_FOREIGN
#define timeout(delay) DASHPOT_FOREIGN
#define touchline(window, start, count) DASHPOT_FOREIGN
#define unix DASHPOT_FOREIGN

// macOS: AssertMacros.h and Objective-C.
#define NO DASHPOT_FOREIGN
#define YES DASHPOT_FOREIGN
#define check(assertion) DASHPOT_FOREIGN
#define check_noerr(error) DASHPOT_FOREIGN
#define nil DASHPOT_FOREIGN
#define require(assertion, label) DASHPOT_FOREIGN
#define verify(assertion) DASHPOT_FOREIGN

// Arduino.
#define DEFAULT DASHPOT_FOREIGN
#define DISABLED DASHPOT_FOREIGN
#define F(text) DASHPOT_FOREIGN
#define HIGH DASHPOT_FOREIGN
#define INPUT DASHPOT_FOREIGN
#define LOW DASHPOT_FOREIGN
#define OUTPUT DASHPOT_FOREIGN
#define interrupts() DASHPOT_FOREIGN

// Test tools, logging and others.
#define ASSERT(condition) DASHPOT_FOREIGN
#define CHECK(condition) DASHPOT_FOREIGN
#define DEBUG DASHPOT_FOREIGN
#define EXPECT(condition) DASHPOT_FOREIGN
#define FAIL(message) DASHPOT_FOREIGN
#define INFO DASHPOT_FOREIGN
#define LIKELY(condition) DASHPOT_FOREIGN
#define LOG(level) DASHPOT_FOREIGN
#define REQUIRE(condition) DASHPOT_FOREIGN
#define RELEASE DASHPOT_FOREIGN
#define SUCCEED(message) DASHPOT_FOREIGN
#define TEST(suite, name) DASHPOT_FOREIGN
#define UNLIKELY(condition) DASHPOT_FOREIGN
#define VERIFY(condition) DASHPOT_FOREIGN
#define VERSION DASHPOT_FOREIGN
#define WARN(message) DASHPOT_FOREIGN
#define likely(condition) DASHPOT_FOREIGN
#define unlikely(condition) DASHPOT_FOREIGN

// <cassert> may be included again and again, so this one is defined as a program would.
#undef assert
#define assert(condition) static_cast<void>(condition)

#endif
