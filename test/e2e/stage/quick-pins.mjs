// Loaded with `node --import` before a built host: a PIN's hash costs nothing, in the place of a fifth of a second by design for each till
// that a test sets up. Files keep the cost that they say; what scrypt costs and notices is for the unit tests, and the desktop's starts.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const { scrypt } = crypto;
crypto.scrypt = (secret, salt, length, _options, done) => scrypt(secret, salt, length, { N: 2, r: 1, p: 1 }, done);
syncBuiltinESMExports();
