"""pdfium through ctypes: documents and pages opened and closed, and the functions that read characters and objects.

The only module that touches pypdfium2. The functions are called bare and in bulk, because the library's helper layer
costs more than pdfium itself. Handles are plain addresses or what pdfium gave; they live as long as their page is open.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pypdfium2.raw as pdfium

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.pdf.page import Matrix

PASSWORD_ERROR = 4
LOAD_ERRORS = {3: "data format error", 5: "unsupported security scheme", 6: "page not found"}
MAX_PIXELS = 20_000_000  # of a page that is drawn: two of A4 at 300 dots an inch
MAX_SEGMENTS = 4_000  # of one path
TEXT, PATH = pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH
IMAGE, FORM = pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM


@contextmanager
def open_document(raw: bytes) -> Iterator[ctypes.c_void_p]:
    """The document of a file's bytes. Raises FileUnreadable with code "password" or "damaged"."""
    document = pdfium.FPDF_LoadMemDocument64(raw, len(raw), None)
    if not document:
        code = pdfium.FPDF_GetLastError()
        if code == PASSWORD_ERROR:
            raise FileUnreadable("password", "needs a password")
        raise FileUnreadable("damaged", f"not a readable PDF ({LOAD_ERRORS.get(code, 'unknown error')})")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def title_of(document: ctypes.c_void_p) -> str:
    """The title that the file states for itself, in one line; "" where it states none."""
    size = pdfium.FPDF_GetMetaText(document, b"Title", None, 0)
    if not 2 < size < 2_000:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetMetaText(document, b"Title", buffer, size)
    title = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    return " ".join(safe_text(title, keep_newlines=False).split())


def count_pages(document: ctypes.c_void_p) -> int:
    """How many pages the document says it has; 0 or less where it has none to read."""
    return int(pdfium.FPDF_GetPageCount(document))


@contextmanager
def open_page(document: ctypes.c_void_p, index: int) -> Iterator[tuple[object, int] | None]:
    """One page and its text's address; None where pdfium cannot load either."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        yield None
        return
    try:
        text_page = pdfium.FPDFText_LoadPage(page)
        if not text_page:
            yield None
            return
        try:
            yield page, _address(text_page)
        finally:
            pdfium.FPDFText_ClosePage(text_page)
    finally:
        pdfium.FPDF_ClosePage(page)


def render_page(page: object, dots_per_inch: int) -> bytes:
    """The page as a grey bitmap in a PNM frame, at most MAX_PIXELS large. Raises FileUnreadable("damaged")."""
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    if not (width > 0 and height > 0):
        raise FileUnreadable("damaged", "a page without a size")
    scale = min(dots_per_inch / 72, (MAX_PIXELS / (width * height)) ** 0.5)
    columns, rows = max(int(width * scale), 1), max(int(height * scale), 1)
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        raise FileUnreadable("damaged", "a page that cannot be drawn")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xFFFFFFFF)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, pdfium.FPDF_GRAYSCALE)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        raw = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    lines = b"".join(raw[row * stride : row * stride + columns] for row in range(rows))
    return b"P5 %d %d 255\n" % (columns, rows) + lines


def box_of_page(page: object) -> tuple[float, float, float, float] | None:
    """Left, bottom, right, top of what is shown of a page, in page space; None where that is nothing."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, box) or not box.right > box.left or not box.top > box.bottom:
        return None
    return box.left, box.bottom, box.right, box.top


def rotation_of_page(page: object) -> int:
    """Clockwise quarter turns, 0 to 3."""
    return int(pdfium.FPDFPage_GetRotation(page)) % 4


def objects_of_page(page: object) -> Iterator[int]:
    """The addresses of the objects that a page draws."""
    handle = _address(page)
    return (get_page_object(handle, index) for index in range(pdfium.FPDFPage_CountObjects(page)))


def objects_of_form(item: int) -> Iterator[int]:
    """The addresses of the objects that a form draws."""
    n_objects = pdfium.FPDFFormObj_CountObjects(ctypes.cast(item, pdfium.FPDF_PAGEOBJECT))
    return (get_form_object(item, index) for index in range(n_objects))


def matrix_of_object(item: int) -> Matrix | None:
    """How an object's space maps to the space around it; None where pdfium does not know."""
    own = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(ctypes.cast(item, pdfium.FPDF_PAGEOBJECT), own):
        return None
    return own.a, own.b, own.c, own.d, own.e, own.f


def matrix_of_char(text_page: int, index: int) -> Matrix:
    """How a character's space maps to the page."""
    matrix = pdfium.FS_MATRIX()
    get_matrix(text_page, index, ctypes.addressof(matrix))
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def is_white(text_object: int) -> bool:
    """Whether the object is painted in white or in nothing."""
    channels = (ctypes.c_uint * 4)()
    address = ctypes.addressof(channels)
    known = get_fill(text_object, address, address + 4, address + 8, address + 12)
    return bool(known) and (min(channels[:3]) >= 250 or channels[3] == 0)


def strokes_of(item: int) -> Iterator[tuple[float, float, float, float]]:
    """The straight segments of a path as x0, y0, x1, y1, in its own space."""
    path = ctypes.cast(item, pdfium.FPDF_PAGEOBJECT)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(min(pdfium.FPDFPath_CountSegments(path), MAX_SEGMENTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        if not pdfium.FPDFPathSegment_GetPoint(segment, x, y):
            return
        point = (x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield (*last, *point)
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield (*point, *start)
            last = start


def _native(function: object, *types: object, result: object = ctypes.c_int) -> Callable[..., int]:
    """The same native function with bare pointer types: a third of the cost a call of the checked binding."""
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    return ctypes.CFUNCTYPE(result, *types)(address)  # type: ignore[arg-type]


_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
count_chars = _native(pdfium.FPDFText_CountChars, _POINTER)
get_unicode = _native(pdfium.FPDFText_GetUnicode, _POINTER, _INT, result=ctypes.c_uint)
get_loose_box = _native(pdfium.FPDFText_GetLooseCharBox, _POINTER, _INT, _POINTER)
get_origin = _native(pdfium.FPDFText_GetCharOrigin, _POINTER, _INT, _POINTER, _POINTER)
get_matrix = _native(pdfium.FPDFText_GetMatrix, _POINTER, _INT, _POINTER)
get_size = _native(pdfium.FPDFText_GetFontSize, _POINTER, _INT, result=ctypes.c_double)
get_object = _native(pdfium.FPDFText_GetTextObject, _POINTER, _INT, result=_POINTER)
get_font = _native(pdfium.FPDFTextObj_GetFont, _POINTER, result=_POINTER)
get_mode = _native(pdfium.FPDFTextObj_GetTextRenderMode, _POINTER)
get_font_info = _native(pdfium.FPDFText_GetFontInfo, _POINTER, _INT, _POINTER, ctypes.c_ulong, _POINTER)
get_fill = _native(pdfium.FPDFPageObj_GetFillColor, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
get_type = _native(pdfium.FPDFPageObj_GetType, _POINTER)
get_page_object = _native(pdfium.FPDFPage_GetObject, _POINTER, _INT, result=_POINTER)
get_form_object = _native(pdfium.FPDFFormObj_GetObject, _POINTER, ctypes.c_ulong, result=_POINTER)
get_bounds = _native(pdfium.FPDFPageObj_GetBounds, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
get_draw_mode = _native(pdfium.FPDFPath_GetDrawMode, _POINTER, _POINTER, _POINTER)


def _address(handle: object) -> int:
    return ctypes.cast(handle, _POINTER).value or 0  # type: ignore[arg-type]
