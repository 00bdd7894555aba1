package loop

import ()
