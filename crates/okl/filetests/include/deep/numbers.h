#pragma once
#define UNIT 2.0
