import CGTK
import WebImageCore
