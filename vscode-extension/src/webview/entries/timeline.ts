// The script of the view `visa.timeline`.

import type { TimelineContent } from '../../views/messages';
import { Frame } from '../frame';
import { extensionHost } from '../host';
import { Timeline } from '../timeline';

new Frame<TimelineContent>(document.body, extensionHost(), (own) => new Timeline(own));
