/** A scanner that the manager chose is the same one later, in each of the shapes in which Electron describes it. */
import type { HIDDevice, SerialPort } from "electron";
import { describe, expect, test } from "vitest";
import {
  fromChooser,
  fromPermissionCheck,
  isSameDevice,
  type RememberedDevice,
  rememberedDeviceSchema,
} from "../../../main/electron/device-identity.ts";

const hid = { deviceId: "1", name: "Scanner", vendorId: 1504, productId: 4608, serialNumber: "S1" } as HIDDevice;
const usbSerial = {
  portId: "1",
  portName: "ttyACM0",
  vendorId: "1504",
  productId: "4608",
  serialNumber: "S1",
} as unknown as SerialPort;
const barePort = { portId: "2", portName: "ttyS0" } as SerialPort;
const onWindows = { portId: "3", portName: "COM3", deviceInstanceId: "USB\\VID_05E0\\7" } as unknown as SerialPort;

const usb: RememberedDevice = {
  kind: "serial",
  vendorId: 1504,
  productId: 4608,
  serialNumber: "S1",
  port: null,
  deviceInstanceId: null,
};

describe("as the chooser offers it", () => {
  test.each<[string, "hid" | "serial", HIDDevice | SerialPort, RememberedDevice]>([
    ["a HID scanner", "hid", hid, { ...usb, kind: "hid" }],
    ["a USB serial port, ids as text: the port's name may change", "serial", usbSerial, usb],
    [
      "a bare port: all there is to know is its name",
      "serial",
      barePort,
      { ...usb, vendorId: 0, productId: 0, serialNumber: null, port: "ttyS0" },
    ],
    [
      "a port of Windows",
      "serial",
      onWindows,
      { ...usb, vendorId: 0, productId: 0, serialNumber: null, port: "COM3", deviceInstanceId: "USB\\VID_05E0\\7" },
    ],
    ["an empty instance id is none", "serial", { ...usbSerial, deviceInstanceId: "" } as SerialPort, usb],
  ])("%s", (_, kind, device, remembered) => {
    expect(fromChooser(kind, device)).toEqual(remembered);
    expect(rememberedDeviceSchema.parse(remembered)).toEqual(remembered);
  });

  test("an entry of an older version, without an instance id", () => {
    const { deviceInstanceId: _, ...older } = usb;
    expect(rememberedDeviceSchema.parse(older)).toEqual(usb);
    expect(() => rememberedDeviceSchema.parse({ ...usb, kind: "usb" })).toThrow();
  });
});

describe("as a permission is asked for", () => {
  test.each<[string, unknown, Partial<RememberedDevice> | null]>([
    ["the documented shape", { vendorId: 1504, productId: 4608, serialNumber: "S1" }, {}],
    ["Linux and macOS", { vendor_id: 1504, product_id: 4608, serial_number: "S1" }, {}],
    ["without a serial number", { vendor_id: 1504, product_id: 4608 }, { serialNumber: null }],
    ["without a product", { vendor_id: 1504, serial_number: "S1" }, { productId: 0 }],
    [
      "Windows",
      { device_instance_id: "USB\\VID_05E0\\7" },
      { vendorId: 0, productId: 0, serialNumber: null, deviceInstanceId: "USB\\VID_05E0\\7" },
    ],
    ["nothing to tell it by", { serial_number: "S1" }, null],
    ["no id at all", { vendor_id: 0, device_instance_id: "" }, null],
    ["no device", null, null],
    ["a vendor that is no number", { vendorId: "1504" }, null],
  ])("%s", (_, asked, expected) => {
    expect(fromPermissionCheck("serial", asked)).toEqual(expected === null ? null : { ...usb, ...expected });
  });
});

describe("whether it is the one that was chosen", () => {
  const windows = { ...usb, vendorId: 0, productId: 0, serialNumber: null, deviceInstanceId: "USB\\VID_05E0\\7" };
  test.each<[string, RememberedDevice, RememberedDevice, boolean]>([
    ["the same", usb, usb, true],
    ["another kind", usb, { ...usb, kind: "hid" }, false],
    ["another vendor", usb, { ...usb, vendorId: 1 }, false],
    ["another product", usb, { ...usb, productId: 1 }, false],
    ["another serial number", usb, { ...usb, serialNumber: "S2" }, false],
    ["another port", { ...usb, port: "ttyS0" }, { ...usb, port: "ttyS1" }, false],
    ["the same by the instance id alone", { ...windows, port: "COM3" }, windows, true],
    ["another instance id", windows, { ...windows, deviceInstanceId: "USB\\VID_05E0\\8" }, false],
    ["chosen by an older version that kept no instance id", { ...windows, deviceInstanceId: null }, windows, false],
  ])("%s", (_, chosen, asked, same) => {
    expect(isSameDevice(chosen, asked)).toBe(same);
  });
});
