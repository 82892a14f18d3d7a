// The functions of libxml2 that this package calls to read web pages. This header declares them itself, because only
// pkg-config can find libxml2's headers, and pkg-config would also link the library. A test target includes the library's
// headers and this header. If a declaration differs from the library's, the test target does not compile.
#ifndef WEBIMAGE_CXML_H
#define WEBIMAGE_CXML_H

#include <stddef.h>
#include <CWebImageSharedLibrary.h>

#define XML_LIBRARY "libxml2.so.2"

#ifndef __XML_TREE_H__
typedef struct _xmlParserCtxt xmlParserCtxt;
typedef xmlParserCtxt *xmlParserCtxtPtr;
typedef struct _xmlSAXHandler xmlSAXHandler;
#endif
#ifndef __HTML_PARSER_H__
typedef xmlParserCtxt *htmlParserCtxtPtr;
typedef xmlSAXHandler *htmlSAXHandlerPtr;
#endif

// The handlers of the parser's events. `htmlSAXHandlerPtr` points to this structure. Handlers that this package does not
// set are null pointers, which the parser does not call.
typedef struct {
    void *_Nullable declarations[14];
    void (*_Nullable start_element)(
        void *_Nullable data, const unsigned char *_Nonnull name,
        const unsigned char *_Nullable *_Nullable attributes);
    void (*_Nullable end_element)(void *_Nullable data, const unsigned char *_Nonnull name);
    void *_Nullable reference;
    void (*_Nullable characters)(void *_Nullable data, const unsigned char *_Nonnull text, int count);
    void *_Nullable others[7];
    void (*_Nullable cdata)(void *_Nullable data, const unsigned char *_Nonnull text, int count);
    void *_Nullable external_subset;
    unsigned int initialized;
    void *_Nullable version_2[4];
} webimage_page_handlers;

void xmlInitParser(void);
htmlParserCtxtPtr _Nullable htmlCreatePushParserCtxt(
    htmlSAXHandlerPtr _Nullable handlers, void *_Nullable data, const char *_Nullable chunk, int size,
    const char *_Nullable name, int encoding);
int htmlCtxtUseOptions(htmlParserCtxtPtr _Nonnull parser, int options);
int htmlParseChunk(htmlParserCtxtPtr _Nonnull parser, const char *_Nullable chunk, int size, int isLast);
void htmlFreeParserCtxt(htmlParserCtxtPtr _Nonnull parser);
void xmlStopParser(htmlParserCtxtPtr _Nonnull parser);

#define WEBIMAGE_XML_UTF8 1
// Continue after errors, without messages, without any access to the network, and with the given encoding only.
#define WEBIMAGE_XML_OPTIONS 0x200861

#define XML_FUNCTIONS(take)                                                                                     \
    take(xmlInitParser) take(htmlCreatePushParserCtxt) take(htmlCtxtUseOptions) take(htmlParseChunk)            \
    take(htmlFreeParserCtxt) take(xmlStopParser)

SHARED_LIBRARY_TABLE(XMLFunctions, XML_FUNCTIONS)

#endif
