// Package kernel computes the convolutions and matrix products of networks on a
// CPU, several times as fast as a direct convolution in float32 does.
//
// # Fewer products
//
// A 3x3 convolution computes each output from 9 inputs. Winograd's method computes
// a tile of outputs at once from products of sums: F(4,3), along one axis, gives 4
// outputs from 6 products where there were 12. Let the inputs d be the 6 values
// around a tile, g the 3 weights, and
//
//	y = Aᵀ [ (G g) ⊙ (Bᵀ d) ]
//
// Row i of G evaluates the polynomial g0 + g1 x + g2 x² at a point p_i; the rows of
// Bᵀ are the coefficients of the products of (x - p_j) over all j but i, divided by
// that product at p_i; Aᵀ holds powers of the points. One point is infinity: the
// polynomial's highest coefficient. Nested along both axes, F(4x4,3x3) has 36
// products in place of 144, and F(3x3,3x3) 25 in place of 81. Between the
// transforms, each of the 36 positions takes a matrix product over channels.
//
// The points are 0, ±1/√2, ±√2 and infinity. Their error is half that of 0, ±1, ±2
// and infinity. F(3,3) takes the same points without -√2: it can use the transformed weights of
// F(4,3), and tiles of 4 and of 3 together cover a board: 19 = 4·4+3, 13 = 4+3·3, 9 = 3·3.
// A tile may reach over the board's edge: inputs there count as 0, and outputs there are not
// written.
//
// # Fewer bits
//
// The products are made in 16-bit integers and summed in 32 bits: a processor makes at least twice
// as many of them per cycle as in float32.
//
// Inputs: the rows of Bᵀ are scaled so that their absolute values sum to 1 (Aᵀ makes
// up for the factors), so a transformed input is no larger than the largest input. If
// all inputs lie between -l and h, l <= h, no transformed input exceeds 5/9 h + 4/9 l: the
// positive entries of each row of the two-dimensional matrix sum to at most 5/9. So
// the scale of a board is known from its largest and least input alone, and no
// result depends on the other boards of a batch.
//
// Weights: one scale for each output and position, the largest for which all weights fit 16 bits,
// and the sum of their absolute values times the largest input fits 31:
//
//	limit * Σ|u| <= 2³¹ - 1
//
// No sum can overflow, whatever the inputs. limit is 32767 up to 64 channels, 16383
// up to 256 and 8191 beyond: the more channels, the fewer bits the second bound
// leaves to weights.
//
// A 1x1 convolution has one position, its tiles are points, and each point has its own
// scale. Products of tokens work in the same way: a norm in front of a product is a factor
// of the point's scale, and the two halves of SwiGLU are computed as one product.
//
// # Attention
//
// One operator serves all heads; attention.h gives its bounds. Queries are in the lanes of vectors,
// so that maximum, exponential and sum of a softmax are operations on whole vectors, and
// probabilities come out in the order in which the product with the values reads them.
//
// # In the cache
//
// Boards are worked on together as far as they fit the cache. For each 48 outputs or
// so all positions are multiplied, 9 tiles times 48 outputs at a time in registers
// (fewer without AVX-512), then the tiles are transformed back, and bias, residual
// and activation applied, while the products are still in the cache. The panel of
// weights for the next position is fetched meanwhile.
//
// # The first layer
//
// Its input planes are mostly zeros and ones. The sum that a plane of ones adds is known
// beforehand; of other planes only values other than 0 are multiplied, in float32.
//
// # Training
//
// The gradient of a convolution's input is a convolution. That of its weights is
// Gᵀ[(A dy) ⊙ (Bᵀ d)] summed over all tiles: for each position a matrix product over
// tiles, in float32. Batches are larger than caches, so what follows a convolution
// takes as few passes over a batch as possible.
//
// # Files
//
// isa.h and what it includes are the kernels, compiled once for each set of instructions; layer.c packs
// weights and shares them; kernel.h is the interface in C. Layers reach onnxruntime
// as operators through package ort.
//
// Sources: S. Winograd, "Arithmetic complexity of computations", 1980; A. Lavin and
// S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016; B.
// Barabasz and others, "Error analysis and improving the accuracy of Winograd
// convolution", ACM TOMS 2020, for the choice of points.
package kernel
