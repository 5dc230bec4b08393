import { z } from "zod";
import { settingBounds } from "../../preload/choices.ts";

/** A TCP port that something can listen on. */
export const portSchema = z.int().min(settingBounds.port.min).max(settingBounds.port.max);
