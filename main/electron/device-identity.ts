/** Recognizes a chosen scanner in the different forms in which Electron describes it. */
import type { HIDDevice, SerialPort } from "electron";
import { z } from "zod";

/** A chosen scanner as stored in the settings file. */
export const rememberedDeviceSchema = z.object({
  kind: z.enum(["hid", "serial"]),
  /** USB ids; 0 where the device has none. */
  vendorId: z.int(),
  productId: z.int(),
  serialNumber: z.string().nullable(),
  /** Only for serial ports without USB ids, which are recognized by name. */
  port: z.string().nullable(),
  /** The only id of serial ports on Windows. Entries of older versions lack it. */
  deviceInstanceId: z.string().nullable().default(null),
});
/** A scanner that the manager chose. */
export type RememberedDevice = z.infer<typeof rememberedDeviceSchema>;

/** Converts a device from a chooser (`select-hid-device`, `select-serial-port`), where USB ids are numbers or decimal text. */
export const fromChooser = (kind: "hid" | "serial", device: HIDDevice | SerialPort): RememberedDevice => ({
  kind,
  vendorId: Number(device.vendorId ?? 0),
  productId: Number(device.productId ?? 0),
  serialNumber: device.serialNumber ?? null,
  port: "portName" in device && !device.vendorId ? device.portName : null,
  deviceInstanceId: ("deviceInstanceId" in device && device.deviceInstanceId) || null,
});

/**
 * Devices as passed to `setDevicePermissionHandler`: for HID in the documented form, for serial ports in Electron's
 * internal one: `vendor_id`, `product_id` and `serial_number` on Linux and macOS, `device_instance_id` alone on Windows
 * (electron/electron shell/browser/serial/serial_chooser_context.cc, PortInfoToValue).
 */
const askedSchema = z.object({
  vendorId: z.int().optional(),
  productId: z.int().optional(),
  serialNumber: z.string().optional(),
  vendor_id: z.int().optional(),
  product_id: z.int().optional(),
  serial_number: z.string().optional(),
  device_instance_id: z.string().optional(),
});

/** The device of a permission check; null when it cannot be identified. */
export const fromPermissionCheck = (kind: "hid" | "serial", device: unknown): RememberedDevice | null => {
  const parsed = askedSchema.safeParse(device);
  if (!parsed.success) return null;
  const { data } = parsed;
  const vendorId = data.vendorId ?? data.vendor_id ?? 0;
  const deviceInstanceId = data.device_instance_id || null;
  if (vendorId === 0 && deviceInstanceId === null) return null;
  const productId = data.productId ?? data.product_id ?? 0;
  const serialNumber = data.serialNumber ?? data.serial_number ?? null;
  return { kind, vendorId, productId, serialNumber, port: null, deviceInstanceId };
};

/** Whether a device of a permission check is the chosen one. */
export const isSameDevice = (chosen: RememberedDevice, asked: RememberedDevice): boolean => {
  if (chosen.kind !== asked.kind) return false;
  if (asked.deviceInstanceId !== null) return chosen.deviceInstanceId === asked.deviceInstanceId;
  return (
    chosen.vendorId === asked.vendorId &&
    chosen.productId === asked.productId &&
    chosen.serialNumber === asked.serialNumber &&
    chosen.port === asked.port
  );
};
