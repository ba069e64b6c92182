/** Base path of the server, such as `/x/y`; empty at the root. The server writes it into the page. */
export const basePath: string = new URL("..", document.baseURI).pathname.replace(/\/$/, "");

/** Base path of the console pages. */
export const consolePath = `${basePath}/ui`;
