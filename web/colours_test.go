package web

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/review"
)

// visions has matrices over linear RGB for colour vision deficiencies at full severity, from
// Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color
// Vision Deficiency".
var visions = map[string][9]float64{
	"normal": {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protan": {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deutan": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"tritan": {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// seen converts a colour such as #0B57D0 to CIELAB, as it looks to a person whose colour vision is
// described by the matrix m.
func seen(hex string, m [9]float64) (lab [3]float64) {
	var rgb [3]int
	fmt.Sscanf(hex, "#%02X%02X%02X", &rgb[0], &rgb[1], &rgb[2])
	var c, v [3]float64
	for i := range rgb {
		if c[i] = float64(rgb[i]) / 255; c[i] <= 0.04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	for i := range v {
		v[i] = min(1, max(0, m[3*i]*c[0]+m[3*i+1]*c[1]+m[3*i+2]*c[2]))
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*v[0] + 0.3575761*v[1] + 0.1804375*v[2]) / 0.95047)
	y := f(0.2126729*v[0] + 0.7151522*v[1] + 0.0721750*v[2])
	z := f((0.0193339*v[0] + 0.1191920*v[1] + 0.9503041*v[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// difference returns the CIEDE2000 difference of two CIELAB colours: Sharma, Wu and Dalal (2005).
func difference(p, q [3]float64) float64 {
	chroma := (math.Hypot(p[1], p[2]) + math.Hypot(q[1], q[2])) / 2
	far := func(c float64) float64 { return math.Sqrt(math.Pow(c, 7) / (math.Pow(c, 7) + math.Pow(25, 7))) }
	g := 0.5 * (1 - far(chroma))
	a1, a2 := (1+g)*p[1], (1+g)*q[1]
	c1, c2 := math.Hypot(a1, p[2]), math.Hypot(a2, q[2])
	angle := func(b, a float64) float64 {
		if a == 0 && b == 0 {
			return 0
		}
		return math.Mod(math.Atan2(b, a)*180/math.Pi+360, 360)
	}
	h1, h2 := angle(p[2], a1), angle(q[2], a2)
	dh, h := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, h = 0, h1+h2
	case math.Abs(dh) > 180:
		dh -= math.Copysign(360, dh)
		if h += 180; h >= 360 {
			h -= 360
		}
	}
	rad := math.Pi / 180
	dH := 2 * math.Sqrt(c1*c2) * math.Sin(dh/2*rad)
	l, c := (p[0]+q[0])/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos((h-30)*rad) + 0.24*math.Cos(2*h*rad) + 0.32*math.Cos((3*h+6)*rad) - 0.20*math.Cos((4*h-63)*rad)
	sl := 1 + 0.015*(l-50)*(l-50)/math.Sqrt(20+(l-50)*(l-50))
	sc, sh := 1+0.045*c, 1+0.015*c*t
	rt := -math.Sin(2*30*math.Exp(-math.Pow((h-275)/25, 2))*rad) * 2 * far(c)
	x, y, z := (q[0]-p[0])/sl, (c2-c1)/sc, dH/sh
	return math.Sqrt(x*x + y*y + z*z + rt*y*z)
}

// TestColours requires that people with any kind of colour vision can tell the colours of the
// loss scale apart.
func TestColours(t *testing.T) {
	require.InDelta(t, 2.0425, difference([3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}), 1e-4) // the first pair of the paper's test data
	table := regexp.MustCompile(`(?s)SCALE[^=]*= \[(.*?)\];`).FindStringSubmatch(testshared.Read(t, "ui/src/board/overlay.ts"))
	require.NotNil(t, table)
	var scale []string
	for _, m := range regexp.MustCompile(`\["(#[0-9A-F]{6})", "#[0-9A-F]{6}"\]`).FindAllStringSubmatch(table[1], -1) {
		scale = append(scale, m[1])
	}
	require.Len(t, scale, len(review.Classes))
	least := map[string]float64{"normal": 29, "protan": 25, "deutan": 18.5, "tritan": 18}
	for name, m := range visions {
		for i, a := range scale {
			for _, b := range scale[i+1:] {
				require.Greater(t, difference(seen(a, m), seen(b, m)), least[name], "%s and %s, %s", a, b, name)
			}
			for _, wood := range []string{"#E3BE7E", "#E8C68A", "#DDB572"} {
				require.Greater(t, difference(seen(a, m), seen(wood, m)), 9.0, "%s on the wood, %s", a, name)
			}
		}
	}
}
