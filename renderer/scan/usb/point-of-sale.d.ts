/** What of @point-of-sale's scanner packages is used; they bring no types. */
interface PointOfSaleBarcode {
  readonly value: string;
  readonly symbology?: unknown;
  readonly bytes: readonly Uint8Array[];
}

interface PointOfSaleScanner {
  /** A serial one resolves once it reads no more; if that was no unplugging, no event tells of it. */
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Of a serial one: reads from this port, as `connect`. */
  open(port: object): Promise<void>;
  reconnect(device: { readonly vendorId?: number; readonly productId?: number }): Promise<void>;
  addEventListener(event: "barcode", listener: (barcode: PointOfSaleBarcode) => void): void;
  addEventListener(event: "connected" | "disconnected" | "unsupported", listener: () => void): void;
}

declare module "@point-of-sale/webhid-barcode-scanner" {
  const WebHidBarcodeScanner: new (options?: object) => PointOfSaleScanner;
  export default WebHidBarcodeScanner;
}

declare module "@point-of-sale/webserial-barcode-scanner" {
  const WebSerialBarcodeScanner: new (options?: object) => PointOfSaleScanner;
  export default WebSerialBarcodeScanner;
}
