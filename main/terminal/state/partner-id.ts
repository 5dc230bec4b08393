/** The terminal's own id of a withdrawal (`transaction_id_partner`): device, installation and a unique id, at most 64 visible ASCII characters. */

const deviceLengthMax = 28;

/** FNV-1a, to tell apart devices whose names begin alike; not for security. */
export const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
};

const deviceName = (deviceId: string): string => {
  const plain = deviceId.replace(/[^\x21-\x7e]|\./g, "_");
  return plain === deviceId && plain.length <= deviceLengthMax ? plain : `${plain.slice(0, 19)}~${hash(deviceId)}`;
};

/** `till-1.7K3F9Q.01JD…`: readable in a report, never the same on two terminals. */
export const makePartnerId = (deviceId: string, installation: string, id: string): string =>
  `${deviceName(deviceId)}.${installation}.${id}`;

/** Which installation made an id under this device's name; null for every other device's. */
export const installationOf = (deviceId: string, partnerId: string): string | null => {
  const [device, made = null, id] = partnerId.split(".");
  return id !== undefined && device === deviceName(deviceId) ? made : null;
};
