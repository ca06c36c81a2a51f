/* Parts of kernels that a model may do without. Here all are there; the file that goes into a project says
 * which of them its model uses. */
#ifndef EDGEGEN_FEATURES_H
#define EDGEGEN_FEATURES_H

/* conv2d_packed: requantisation of any kind; of any zero point; of one that is the least output. */
#define EDGEGEN_BLOCK_EXACT 1
#define EDGEGEN_BLOCK_GENERAL 1
#define EDGEGEN_BLOCK_NONNEGATIVE 1
/* Windows of several pixels, and those whose rows are no whole words. */
#define EDGEGEN_BLOCK_RING 1
#define EDGEGEN_BLOCK_GATHER 1
/* fully_connected_packed: as of conv2d_packed. */
#define EDGEGEN_DENSE_EXACT 1
#define EDGEGEN_DENSE_GENERAL 1
#define EDGEGEN_DENSE_NONNEGATIVE 1
/* Inputs unpacked once, or by each block as they lie. */
#define EDGEGEN_DENSE_COLUMN 1
#define EDGEGEN_DENSE_DIRECT 1
/* depthwise_conv2d_planes: as of conv2d_packed, by columns from window to window. */
#define EDGEGEN_PLANES_NONNEGATIVE_1 1
#define EDGEGEN_PLANES_NONNEGATIVE_2 1
#define EDGEGEN_PLANES_GENERAL_1 1
#define EDGEGEN_PLANES_GENERAL_2 1
/* depthwise_conv2d_rows: whole blocks of 3x3 windows with the short requantisation; everything else. */
#define EDGEGEN_ROWS_3X3 1
#define EDGEGEN_ROWS_EXACT 1
/* add_aligned: as of add_block.h; the rest. */
#define EDGEGEN_ADD_BLOCK 1
#define EDGEGEN_ADD_ANY 1

#endif
