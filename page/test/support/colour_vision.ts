// Colours as people see them.

/** Red, green and blue as light, from 0 to 1. */
type Light = [number, number, number];

/**
 * What each kind of vision makes of light, as matrices. Those of people without one kind of cones
 * are by Machado, Oliveira and Fernandes (2009).
 */
export const VISIONS: Record<string, Light[]> = {
  "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/**
 * Returns how different two colours ("#rrggbb") look: their distance in OKLab times 100. Colours
 * with a distance below 2 can hardly be distinguished.
 */
export function distance(one: string, other: string, vision: Light[]): number {
  const [a, b] = [one, other].map((colour) => perceived(seen(light(colour), vision)));
  return 100 * Math.hypot(...a.map((value, index) => value - b[index]));
}

/** Returns the contrast ratio of WCAG 2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, bright] = [one, other].map((colour) => dot([0.2126, 0.7152, 0.0722], light(colour))).sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function light(colour: string): Light {
  return [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Light;
}

function seen(colour: Light, vision: Light[]): Light {
  return vision.map((row) => Math.min(1, Math.max(0, dot(row, colour)))) as Light;
}

/** Returns the colour in OKLab. */
function perceived(colour: Light): Light {
  const cones: Light[] = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
  const answers = cones.map((row) => Math.cbrt(dot(row, colour))) as Light;
  const axes: Light[] = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]];
  return axes.map((row) => dot(row, answers)) as Light;
}

function dot(a: Light, b: Light): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
