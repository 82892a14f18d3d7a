#include <libxml/HTMLparser.h>
#include "CWebImageXMLCheck.h"

// shim.h declares functions and types of libxml2 once more. If one of these declarations differs from libxml2's header,
// this file does not compile. Building this file is therefore the test.
#pragma clang diagnostic ignored "-Wnullability-completeness"
#include "../../../Sources/CWebImageXML/shim.h"

#define AT(own, theirs) \
    _Static_assert(offsetof(webimage_page_handlers, own) == offsetof(xmlSAXHandler, theirs), "as declared")
AT(start_element, startElement);
AT(end_element, endElement);
AT(characters, characters);
AT(cdata, cdataBlock);
AT(initialized, initialized);
_Static_assert(sizeof(webimage_page_handlers) == sizeof(xmlSAXHandler), "as declared");
_Static_assert(WEBIMAGE_XML_UTF8 == XML_CHAR_ENCODING_UTF8, "as declared");
_Static_assert(
    WEBIMAGE_XML_OPTIONS
        == (HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET
            | HTML_PARSE_IGNORE_ENC),
    "as declared");

int webimage_xml_declarations_are_theirs(void) { return 1; }
