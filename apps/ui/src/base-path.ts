/** The path the whole installation is under, such as `/x/y`; empty at the root. The server writes it into the page. */
export const basePath: string = new URL("..", document.baseURI).pathname.replace(/\/$/, "");

/** The path of the console's own pages. */
export const consolePath = `${basePath}/ui`;
