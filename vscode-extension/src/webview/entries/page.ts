// The script of the page that `visa-lint cost --format html` writes.

import { draw } from '../page';

draw();
