// Opens traces in speedscope and holds what it reads against the files: `node speedscope.mjs CHROMIUM INDEX OUTPUT FILES…`.
//
// speedscope draws with WebGL, where nothing can be counted; what it understood it exports in a format of its own. Every
// slice of a track has to be there with its begin and its end, counted from the track's first, under the names of its kernel
// and its context. Counters are not part of what speedscope reads.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { slices } from './written.mjs';

const [executablePath, index, output, ...files] = process.argv.slice(2);
/** Milliseconds after which something is held to hang; nothing else is decided by it. */
const PATIENCE = 120_000;
let failures = 0;

function check(holds, words) {
  if (!holds) {
    failures += 1;
    console.error(`  FAILED: ${words}`);
  }
}

// The slices of a trace by the names of process and thread, as speedscope titles a track.
function written(trace) {
  const tracks = new Map();
  for (const { pid, tid, process, thread, ...slice } of slices(trace)) {
    const title = `${process} (pid ${pid}), ${thread} (tid ${tid})`;
    if (!tracks.has(title)) tracks.set(title, []);
    tracks.get(title).push(slice);
  }
  return tracks;
}

// The same from what speedscope exports: frames that open and close. A frame's name goes on with its arguments.
function read(exported) {
  const frames = exported.shared.frames.map((frame) => frame.name);
  return new Map(
    exported.profiles.map((profile) => {
      const [open, closed] = [[], []];
      for (const event of profile.events) {
        if (event.type === 'O') {
          open.push({ frame: event.frame, begin: event.at });
        } else {
          const { frame, begin } = open.pop() ?? {};
          check(frame === event.frame, `${profile.name}: a slice ends that is not the innermost`);
          closed.push({ name: frames[frame] ?? '', begin, end: event.at });
        }
      }
      check(profile.unit === 'microseconds', `${profile.name}: counted in ${profile.unit}`);
      return [profile.name, closed];
    }),
  );
}

function compare(trace, exported) {
  const [tracks, profiles] = [written(trace), read(exported)];
  check(tracks.size > 0, 'the trace has no slices');
  check(tracks.size === profiles.size, `${tracks.size} tracks, ${profiles.size} read`);
  let count = 0;
  for (const [title, wanted] of tracks) {
    const rest = [...(profiles.get(title) ?? [])];
    check(rest.length === wanted.length, `${title}: ${wanted.length} slices, ${rest.length} read`);
    // speedscope counts each track from its first slice.
    const first = Math.min(...wanted.map((slice) => slice.begin));
    for (const { name, begin, end } of wanted) {
      const at = rest.findIndex(
        (slice) => slice.name.startsWith(name) && slice.begin === begin - first && slice.end === end - first,
      );
      check(at >= 0, `${title}: ${name} from ${begin} to ${end} was not read`);
      if (at >= 0) rest.splice(at, 1);
      count += 1;
    }
  }
  return `${count} slices on ${tracks.size} tracks`;
}

mkdirSync(output, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const file of files) {
  const trace = JSON.parse(readFileSync(file, 'utf8'));
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => check(false, `${basename(file)}: ${error.message}`));
  await page.goto(pathToFileURL(index).href);
  await page.setInputFiles('input[type=file]', file);
  await page.getByText('Export').waitFor();
  const download = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  const saved = join(output, `${basename(file)}.speedscope.json`);
  await (await download).saveAs(saved);
  await page.screenshot({ path: join(output, `${basename(file)}.png`) });
  const words = compare(trace, JSON.parse(readFileSync(saved, 'utf8')));
  console.log(`${basename(file)}: ${words}`);
  await page.close();
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
