package kernel

import (
	"errors"
	"fmt"
	"unsafe"
)

// Layout is the memory of a session, counted in numbers.
type Layout struct {
	Size            int
	Rows            int       // largest batch
	Inputs, Outputs []Operand // At is a tensor's first row in the memory, Row how many numbers a row has
	Constants       []float32
	ConstantsAt     int
}

// Aligned allocates n numbers, aligned to cache lines.
func Aligned(n int) []float32 {
	const line = 16 // numbers in a cache line
	buffer := make([]float32, n+line)
	skip := 0
	if off := int(uintptr(unsafe.Pointer(&buffer[0])) % (4 * line)); off != 0 {
		skip = line - off/4
	}
	return buffer[skip : skip+n : skip+n]
}

// Pass runs a program for the rows of a batch from First on.
type Pass struct{ Program, First int }

func (l *Layout) check() error {
	ok := l.Size > 0 && l.Rows > 0 && l.ConstantsAt >= 0 && l.ConstantsAt+len(l.Constants) <= l.Size
	for _, side := range [][]Operand{l.Inputs, l.Outputs} {
		for _, o := range side {
			ok = ok && o.At >= 0 && o.Row > 0 && o.At+o.Row*l.Rows <= l.Size
		}
	}
	if !ok {
		return fmt.Errorf("kernel: the parts of a memory of %d numbers do not fit it", l.Size)
	}
	return nil
}

// checkSteps returns an error if a step reads or writes outside the memory when the program starts
// at any row from 0 to last.
func (l *Layout) checkSteps(steps []Step, last int) error {
	if last < 0 {
		return errors.New("kernel: a program of no rows")
	}
	for i := range steps {
		if err := steps[i].check(l.Size, last); err != nil {
			return err
		}
	}
	return nil
}

// checkRun returns an error unless each pass names an existing program and a row at which that
// program may start. last(program) is the last such row.
func (l *Layout) checkRun(rows int, passes []Pass, last func(program int) int, programs int) error {
	if rows < 1 || rows > l.Rows {
		return fmt.Errorf("kernel: a batch of %d rows, of at most %d", rows, l.Rows)
	}
	for _, p := range passes {
		if p.Program < 0 || p.Program >= programs || p.First < 0 || p.First > last(p.Program) {
			return fmt.Errorf("kernel: program %d was not made for the rows from %d on", p.Program, p.First)
		}
	}
	return nil
}
