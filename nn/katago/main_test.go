package katago

import (
	"os"
	"testing"

	"kosumi/nn/nntest"
)

func TestMain(m *testing.M) { os.Exit(nntest.Main(m)) }
