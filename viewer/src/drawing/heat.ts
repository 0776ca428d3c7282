// Colours of quantities and stages, for light and dark surroundings. Lightness changes steadily with the quantity, so
// that colour-blind eyes and grey printers can read them.

import type { Colour } from './surface.ts';

type Stop = [number, Colour];

const LIGHT: Stop[] = [
  [0, [0xc4, 0xcd, 0xd5]],
  [0.3, [0xf0, 0xbf, 0x4c]],
  [0.6, [0xe2, 0x76, 0x2a]],
  [0.85, [0xa6, 0x22, 0x1f]],
  [1, [0x4a, 0x0b, 0x1b]],
];
const DARK: Stop[] = [
  [0, [0x45, 0x51, 0x5c]],
  [0.3, [0x84, 0x4d, 0x2b]],
  [0.6, [0xd1, 0x66, 0x2b]],
  [0.85, [0xf2, 0xb2, 0x4e]],
  [1, [0xff, 0xf6, 0xcc]],
];
/** Less, the same, more. */
const LIGHT_DIFFERENCE: Stop[] = [
  [0, [0x17, 0x4f, 0x86]],
  [0.5, [0xd0, 0xd6, 0xdc]],
  [1, [0xa6, 0x32, 0x1c]],
];
const DARK_DIFFERENCE: Stop[] = [
  [0, [0x6f, 0xb7, 0xf0]],
  [0.5, [0x45, 0x51, 0x5c]],
  [1, [0xff, 0x9a, 0x5c]],
];

export interface Theme {
  paper: Colour;
  ink: Colour;
  quiet: Colour;
  host: Colour;
  wait: Colour;
  service: Colour;
  mark: Colour;
  /** The colours of a quantity from nothing to all, and of a difference from less to more. */
  heat: Colour[];
  difference: Colour[];
}

const STEPS = 64;

function table(stops: Stop[]): Colour[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const at = step / (STEPS - 1);
    const upper = Math.max(
      1,
      stops.findIndex(([place]) => place >= at),
    );
    const [[low, from], [high, to]] = [stops[upper - 1], stops[upper]];
    const part = (at - low) / (high - low);
    return [0, 1, 2].map((of) => Math.round(from[of] + part * (to[of] - from[of]))) as unknown as Colour;
  });
}

const THEMES: Record<'light' | 'dark', Theme> = {
  light: {
    paper: [255, 255, 255],
    ink: [0x1f, 0x29, 0x33],
    quiet: [0x5b, 0x67, 0x70],
    host: [0x8a, 0x97, 0xa3],
    wait: [0xd1, 0x66, 0x2b],
    service: [0x2f, 0x77, 0xad],
    mark: [0x8a, 0x2c, 0xc4],
    heat: table(LIGHT),
    difference: table(LIGHT_DIFFERENCE),
  },
  dark: {
    paper: [0x14, 0x1a, 0x20],
    ink: [0xe6, 0xeb, 0xf0],
    quiet: [0xa5, 0xb1, 0xbc],
    host: [0x7b, 0x88, 0x94],
    wait: [0xf0, 0x8d, 0x4f],
    service: [0x5d, 0xa9, 0xe0],
    mark: [0xd0, 0x9c, 0xff],
    heat: table(DARK),
    difference: table(DARK_DIFFERENCE),
  },
};

const darkness = window.matchMedia('(prefers-color-scheme: dark)');
/** Paper is light, whatever the reader's surroundings are. */
let isPrinting = false;
addEventListener('beforeprint', () => (isPrinting = true));
addEventListener('afterprint', () => (isPrinting = false));

/** The colours for the reader's surroundings, or for paper while the page is printed. */
export function theme(): Theme {
  return darkness.matches && !isPrinting ? THEMES.dark : THEMES.light;
}

/** Calls back when the surroundings change, and before and after the page is printed. */
export function onTheme(change: () => void): () => void {
  darkness.addEventListener('change', change);
  addEventListener('beforeprint', change);
  addEventListener('afterprint', change);
  return () => {
    darkness.removeEventListener('change', change);
    removeEventListener('beforeprint', change);
    removeEventListener('afterprint', change);
  };
}

/** The colour of a share, 0 to 1; values outside count as the nearer end. */
export function heat(colours: Colour[], share: number): Colour {
  return colours[Math.round(Math.min(1, Math.max(0, share)) * (STEPS - 1))];
}
