/** Imported before any schema: the page's content policy forbids the code that zod would generate at run time. */
import { config } from "zod";

config({ jitless: true });
