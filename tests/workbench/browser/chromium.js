// Unpacks the browser, with the libraries and fonts that a bare system may lack, into TMPDIR; prints where it is.
import chromium from "@sparticuz/chromium";

console.log(await chromium.executablePath());
