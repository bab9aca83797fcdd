/** Something that a user should know, with where and when. */
export interface Warning {
  /** One sentence: what is wrong, where, what to do. */
  readonly text: string;
  /** The points concerned; none if it concerns all. */
  readonly points: readonly number[];
  /** s of simulated time. */
  readonly time: number;
  /** What kind of thing it is, for programs. */
  readonly cause: WarningCause;
}

export type WarningCause =
  /** Points start inside a body. */
  | "inside-body"
  /** Layers cross each other at the start. */
  | "layers-cross"
  /** A seam is not closed in twice its time. */
  | "seam-open"
  /** Static mode found no balance. */
  | "equilibrium"
  /** Another solver than the scene asks for. */
  | "solver"
  | "substrate"
  /** A pin or a body cannot go on and is held back. */
  | "stuck"
  /** A step ended with a point out of balance. */
  | "unsolved"
  /** The interactive solver ends its steps early. */
  | "behind";
