#include "add.h"

#include "add_run.h"

void edgegen_add(const edgegen_add_params *p, const int8_t *first, const int8_t *second, int8_t *output)
{
    int32_t index[5] = {0, 0, 0, 0, 0};
    for (int32_t loop = 0; loop >= 0;) {
        if (p->first_step[5] == 1 && p->second_step[5] == 1) {
            edgegen_add_run(p, first, second, p->size[5], output);
            output += p->size[5];
        } else {
            for (int32_t i = 0; i < p->size[5]; ++i) {
                *output++ = edgegen_add_one(p, first[i * p->first_step[5]], second[i * p->second_step[5]]);
            }
        }
        for (loop = 4; loop >= 0; --loop) {
            first += p->first_step[loop];
            second += p->second_step[loop];
            if (++index[loop] < p->size[loop]) {
                break;
            }
            index[loop] = 0;
            first -= p->first_step[loop] * p->size[loop];
            second -= p->second_step[loop] * p->size[loop];
        }
    }
}
