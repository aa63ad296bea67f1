// The script of the view `visa.memory`.

import type { MemoryContent } from '../../views/messages';
import { Frame } from '../frame';
import { extensionHost } from '../host';
import { MemoryPicture } from '../memory';

new Frame<MemoryContent>(document.body, extensionHost(), (own) => new MemoryPicture(own));
