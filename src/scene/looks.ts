/** How a sheet is to look, as a scene says it. Pictures and pages read it; the simulation does not. */

/** Prints, by what a shop calls them. */
export const PRINTS = ["plain", "stripes", "checks", "gingham", "dots", "grid"] as const;
export type Print = (typeof PRINTS)[number];

/** What is left out is chosen by the material. */
export interface SheetLook {
  /** Colours as #rrggbb: of the two sides, and of the print. */
  front?: string;
  back?: string;
  ink?: string;
  print?: Print;
  /** m, after which the print repeats; the width of the image. */
  size?: number;
  /** PNG file, relative to the scene, that is laid on the sheet by its material coordinates, over the print. */
  image?: string;
}
