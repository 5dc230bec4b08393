import { z } from "zod";

/** Something about the drawer itself for a manager, as it stands in a checkpoint. */
export const drawerProblemSchema = z.object({
  /** Names it where it is acknowledged. */
  id: z.string(),
  about: z.enum(["night_differs", "count_differs", "drawer_opened"]),
  sinceWallMs: z.number(),
  day: z.int().nullable(),
  differenceMinor: z.int(),
  currency: z.string().nullable(),
  /** Who counted, or was signed in. */
  who: z.string().nullable(),
});
/** See `drawerProblemSchema`. */
export type DrawerProblem = z.infer<typeof drawerProblemSchema>;
