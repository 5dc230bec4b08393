/** A withdrawal's code as Code 128 and as QR, drawn on the server: black on white in every theme, with full quiet zones. */
import { code128, type DrawingContext, drawingSVG, qrcode, type RenderOptions } from "bwip-js/generic";
import { raw } from "hono/html";

type Draw = (options: RenderOptions, drawing: DrawingContext<string>) => string;
const drawCode128: Draw = code128;
/** The types of bwip-js do not know the level of a QR code. */
const drawQr: (options: RenderOptions & { readonly eclevel: "Q" }, drawing: DrawingContext<string>) => string = qrcode;

/** ISO/IEC 15417 asks for 10 modules of quiet zone beside a Code 128, ISO/IEC 18004 for 4 around a QR code. */
const code128QuietModules = 10;
const qrQuietModules = 4;
/** bwip-js draws a module of these sizes at its default scale. */
const code128UnitsPerModule = 2;
const qrUnitsPerModule = 4;
const code128HeightMm = 14;

/** The script makes a module a whole number of device pixels; it needs to know how many modules there are. */
const asImage = (svg: string, label: string, unitsPerModule: number) => {
  const widthUnits = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1] ?? 0);
  const attributes = `class="code" role="img" aria-label="${label}" shape-rendering="crispEdges" data-modules="${widthUnits / unitsPerModule}"`;
  return raw(svg.replace("<svg ", `<svg ${attributes} `));
};

/** `label` is one of our own texts, never input. */
export const code128Image = (id: string, label: string) =>
  asImage(
    drawCode128(
      {
        bcid: "code128",
        text: id,
        height: code128HeightMm,
        paddingwidth: code128QuietModules,
        paddingheight: 2,
        barcolor: "000000",
        backgroundcolor: "FFFFFF",
      },
      drawingSVG(),
    ),
    label,
    code128UnitsPerModule,
  );

/** `label` is one of our own texts, never input. */
export const qrImage = (id: string, label: string) =>
  asImage(
    drawQr(
      {
        bcid: "qrcode",
        text: id,
        eclevel: "Q",
        padding: qrQuietModules * 2,
        barcolor: "000000",
        backgroundcolor: "FFFFFF",
      },
      drawingSVG(),
    ),
    label,
    qrUnitsPerModule,
  );
