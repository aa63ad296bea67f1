// The script of the page that `visa-lint view --scratch` serves.

import { scratch } from '../scratch';

scratch();
