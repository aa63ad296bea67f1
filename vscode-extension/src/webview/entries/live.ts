// The script of the page that `visa-lint view` serves.

import { live } from '../live';

live();
