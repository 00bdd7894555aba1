package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// icon draws web/ui/src/icon.svg as a PNG of so many pixels, for home screens that take
// no other form. Corners are full: those who show it cut them.
func icon(pixels int) ([]byte, error) {
	const fine = 4 // samples a pixel, in both directions
	img := image.NewRGBA(image.Rect(0, 0, pixels, pixels))
	for y := range pixels {
		for x := range pixels {
			var sum [3]int
			for i := range fine * fine {
				at := func(pixel, sample int) float64 {
					return (float64(pixel) + (float64(sample)+0.5)/fine) * 64 / float64(pixels)
				}
				c := iconAt(at(x, i%fine), at(y, i/fine))
				sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
			}
			img.SetRGBA(x, y, color.RGBA{uint8(sum[0] / fine / fine), uint8(sum[1] / fine / fine), uint8(sum[2] / fine / fine), 0xff})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// iconAt is the colour of a place in the icon's square of 64 by 64.
func iconAt(x, y float64) color.RGBA {
	onLine := func(across, along float64) bool {
		return (math.Abs(across-20) < 1 || math.Abs(across-44) < 1) && along > 4 && along < 60
	}
	switch black, white := math.Hypot(x-20, y-44), math.Hypot(x-44, y-20); {
	case black < 13:
		return color.RGBA{0x1d, 0x1d, 0x20, 0xff}
	case white < 12.5:
		return color.RGBA{0xf7, 0xf4, 0xed, 0xff}
	case white < 13.5:
		return color.RGBA{0x8d, 0x87, 0x7a, 0xff}
	case onLine(x, y) || onLine(y, x):
		return color.RGBA{0x3b, 0x2a, 0x14, 0xff}
	}
	return color.RGBA{0xe3, 0xbe, 0x7e, 0xff}
}
