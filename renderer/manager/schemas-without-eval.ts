/** Before any schema is made: the page's content policy lets no code be made from text. */
import { config } from "zod";

config({ jitless: true });
