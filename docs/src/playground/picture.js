// Pictures of a run: the simulator gives them as texts of SVG. They are made again here of the elements and attributes that its pictures
// have, and of nothing else, so that no text of a kernel can be more than text.

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "title", "desc", "g", "line", "polyline", "polygon", "path", "rect", "circle", "text"]);
const ATTRIBUTES = new Set(["class", "viewBox", "role", "aria-hidden", "transform", "text-anchor",
    "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "points", "d"]);

/** Names of elements, which are unique in a page that may show several runs. */
let drawn = 0;

const copy = (source, id) => {
    const made = document.createElementNS(SVG, source.localName);
    for (const { name, value } of source.attributes) {
        if (ATTRIBUTES.has(name)) {
            made.setAttribute(name, value);
        }
    }
    for (const child of source.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) {
            made.append(child.data);
        } else if (child.nodeType === Node.ELEMENT_NODE && child.namespaceURI === SVG && ELEMENTS.has(child.localName)) {
            made.append(copy(child, id));
        }
    }
    if (source.localName === "title" || source.localName === "desc") {
        made.id = `${id}-${source.localName}`;
    }
    return made;
};

/** The picture as an element, with its title and its text equivalent as name; `null` if the text is no picture. */
export const picture = (text) => {
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (root.namespaceURI !== SVG || root.localName !== "svg") {
        return null;
    }
    const id = `pg-picture-${++drawn}`;
    const made = copy(root, id);
    made.setAttribute("aria-labelledby", `${id}-title`);
    made.setAttribute("aria-describedby", `${id}-desc`);
    return made;
};
